import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { makeFolder } from './guard.ts';
import { eventually, startBelfry } from './process.ts';
import { guardedSpawn } from './spawned.ts';
import { freePort } from './free-port.ts';
import { SETTINGS } from '#config/settings';

const ROOT = path.dirname(import.meta.dirname);
const read = (name: string) => fs.readFileSync(path.join(ROOT, name), 'utf8');

const isSetting = (name: string) => name.replace(/_FILE$/, '') in SETTINGS;

describe('docs/deploy/belfry.service', () => {
  const unit = read('docs/deploy/belfry.service');
  const verified = () => {
    // The files that it names must exist to be checked.
    const file = path.join(makeFolder(), 'belfry.service');
    fs.writeFileSync(file, unit.replace('/usr/local/bin/belfry', process.execPath));
    return file;
  };
  const isThere = !spawnSync('systemd-analyze', ['--version']).error;

  test('is one that systemd-analyze verifies', (t) => {
    if (!isThere) return t.skip('there is no systemd-analyze on this machine');
    const file = verified();
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    const told = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(file));
    assert.deepEqual(told, []);
  });

  test('leaves little open, as systemd-analyze judges it', (t) => {
    if (!isThere) return t.skip('there is no systemd-analyze on this machine');
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--threshold=20', '--no-pager', verified()],
      { encoding: 'utf8' },
    );
    if (/unrecognized option/.test(stderr)) return t.skip('this systemd judges no files');
    assert.equal(status, 0, stdout.split('\n').slice(-3).join('\n') + stderr);
  });

  test('never gives up starting, and starts after a local Postgres', () => {
    const [, head = ''] = /^\[Unit\]\n([^[]*)/m.exec(unit) ?? [];
    assert.match(head, /^StartLimitIntervalSec=0$/m);
    assert.match(head, /^After=.*\bpostgresql\.service\b/m);
  });

  test('the systemd unit sets existing settings only', () => {
    const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    assert.ok(names.length > 0);
    assert.deepEqual(
      names.filter((name) => !isSetting(name)),
      [],
    );
  });
});

describe('the container', () => {
  const file = read('Containerfile');

  test('the container sets existing settings, runs without privileges and has a working health check', () => {
    const [, block = ''] = /^ENV ((?:.*\\\n)*.*)/m.exec(file) ?? [];
    const names = [...block.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    assert.deepEqual(
      names.filter((name) => !isSetting(name)),
      [],
    );
    assert.match(file, /^USER 65532:65532$/m);
    assert.match(file, /CMD \["\/usr\/local\/bin\/belfry", "health"\]/);
  });

  test('compose.yaml sets existing settings and makes only a volume writable', () => {
    interface Part {
      environment: Record<string, string>;
      read_only?: boolean;
      cap_drop?: string[];
    }
    const { services } = parse(read('compose.yaml'), { merge: true }) as {
      services: Record<string, Part>;
    };
    assert.deepEqual(Object.keys(services), ['database', 'web', 'engine']);
    for (const name of ['web', 'engine']) {
      const part = services[name];
      const settings = Object.keys(part?.environment ?? {});
      assert.ok(settings.includes('APP_KEY_FILE'));
      assert.deepEqual(
        settings.filter((setting) => !isSetting(setting)),
        [],
      );
      assert.equal(part?.environment['ROLE'], name);
      assert.deepEqual([part?.read_only, part?.cap_drop], [true, ['ALL']]);
    }
  });
});

describe('nginx in front', () => {
  const isThere = !spawnSync('nginx', ['-v']).error;

  for (const basePath of ['', '/belfry']) {
    test(`nginx passes on requests below "${basePath}" with TLS and the client's address`, async (t) => {
      if (!isThere) return t.skip('there is no nginx on this machine');
      const folder = makeFolder();
      const port = await freePort();
      const origin = `https://127.0.0.1:${port}`;
      const env = { BASE_URL: `${origin}${basePath}`, TRUSTED_PROXIES: '1', API_RATE_LIMIT: '1' };
      await using belfry = await startBelfry({ env });
      const pem = path.join(folder, 'belfry.pem');
      const key = path.join(folder, 'belfry.key');
      const subject = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
      const made = spawnSync(
        'openssl',
        `req -x509 -newkey rsa:2048 -nodes -days 1 ${subject} -keyout ${key} -out ${pem}`.split(
          ' ',
        ),
      );
      assert.equal(made.status, 0);
      const server = read('docs/deploy/nginx.conf')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('/etc/ssl/belfry.pem', pem)
        .replace('/etc/ssl/belfry.key', key);
      const shared = server.replace(
        / +location = \/metrics[^]*\n\}\n$/,
        `${read('docs/deploy/nginx-path.conf')}\n}\n`,
      );
      const config = (basePath === '' ? server : shared).replaceAll(
        'http://127.0.0.1:3000',
        belfry.url,
      );
      const file = path.join(folder, 'nginx.conf');
      fs.writeFileSync(
        file,
        `daemon off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off;\n${config}\n}\n`,
      );
      await using nginx = guardedSpawn('nginx', ['-p', folder, '-c', file]);
      assert.ok(nginx.pid);
      const ca = fs.readFileSync(pem);
      const get = (at: string) => ask(`${origin}${basePath}${at}`, ca);
      await eventually(async () => (await get('/healthz').catch(() => null))?.status === 200);
      assert.equal((await get('/metrics')).status, 404);
      if (basePath !== '') {
        assert.equal((await get('')).status, 302, 'the path without a slash is passed on');
        for (const neighbour of ['x', 'x/healthz', '-staging']) {
          // Those of nginx; the service would redirect.
          assert.ok([403, 404].includes((await get(neighbour)).status), neighbour);
        }
      }
      const door = await get('/');
      assert.deepEqual([door.status, door.location], [302, `${basePath}/setup`]);
      const doctor = await belfry.cli('doctor');
      assert.match(doctor.stdout, /it agrees with the requests so far/);
    });
  }
});

interface Answered {
  status: number;
  location: string | undefined;
}

function ask(url: string, ca: Buffer): Promise<Answered> {
  return new Promise((resolve, reject) => {
    https
      .get(url, { ca }, (answer) => {
        answer.resume();
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location });
      })
      .on('error', reject);
  });
}
