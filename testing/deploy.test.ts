import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import type http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { makeFolder } from './guard.ts';
import { eventually, startBelfry } from './process.ts';
import { guardedSpawn } from './spawned.ts';
import { freePort } from './free-port.ts';
import { readConfig } from '#config/config';
import { SETTINGS } from '#config/settings';

const ROOT = path.dirname(import.meta.dirname);
const read = (name: string) => fs.readFileSync(path.join(ROOT, name), 'utf8');

const isSetting = (name: string) => name.replace(/_FILE$/, '') in SETTINGS;

describe('docs/deploy/belfry.service', () => {
  const unit = read('docs/deploy/belfry.service');
  test('systemd-analyze verifies the systemd unit and rates its exposure as low', (t) => {
    if (spawnSync('systemd-analyze', ['--version']).error)
      return t.skip('there is no systemd-analyze on this machine');
    // The files that it names must exist to be checked.
    const file = path.join(makeFolder(), 'belfry.service');
    fs.writeFileSync(file, unit.replace('/usr/local/bin/belfry', process.execPath));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    const warnings = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(file));
    assert.deepEqual(warnings, []);
    const rate = ['security', '--offline=true', '--threshold=20', '--no-pager', file];
    const rated = spawnSync('systemd-analyze', rate, { encoding: 'utf8' });
    if (/unrecognized option/.test(rated.stderr)) return t.skip('this systemd judges no files');
    assert.equal(rated.status, 0, rated.stdout.split('\n').slice(-3).join('\n') + rated.stderr);
  });

  test('the systemd unit restarts without limit, and starts after a local Postgres', () => {
    const [, head = ''] = /^\[Unit\]\n([^[]*)/m.exec(unit) ?? [];
    assert.match(head, /^StartLimitIntervalSec=0$/m);
    assert.match(head, /^After=.*\bpostgresql\.service\b/m);
  });

  test('the systemd unit sets existing settings only', () => {
    const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    assert.ok(names.length > 0);
    for (const name of names) assert.ok(isSetting(name), name);
  });
});

/** The variables that the image sets. */
function readImageSettings(containerfile: string): Record<string, string> {
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)/m.exec(containerfile) ?? [];
  return Object.fromEntries(
    [...block.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

describe('the container', () => {
  const file = read('Containerfile');

  test('the container sets existing settings and has a working health check', () => {
    for (const name of Object.keys(readImageSettings(file))) assert.ok(isSetting(name), name);
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
      for (const setting of settings) assert.ok(isSetting(setting), setting);
      assert.equal(part?.environment['ROLE'], name);
      assert.deepEqual([part?.read_only, part?.cap_drop], [true, ['ALL']]);
    }
  });
});

interface PodSpec {
  terminationGracePeriodSeconds: number;
  enableServiceLinks: boolean;
  securityContext: Record<string, unknown>;
  containers: [
    {
      env: { name: string; value: string }[];
      envFrom?: { configMapRef: { name: string } }[];
      lifecycle?: { preStop: { sleep: { seconds: number } } };
      securityContext: Record<string, unknown>;
      volumeMounts: { name: string; mountPath: string }[];
    },
  ];
  volumes: { name: string; secret?: { secretName: string } }[];
}
interface Resource {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: { replicas: number; template: { spec: PodSpec } };
}

/** The settings of a workload: those of the image, then of ConfigMaps, then its own. */
function readWorkloadSettings({ spec }: Resource, resources: Resource[], image: object) {
  const [{ env, envFrom = [] }] = spec.template.spec.containers;
  const maps = envFrom.map(({ configMapRef: { name } }) => {
    const map = resources.find((one) => one.kind === 'ConfigMap' && one.metadata.name === name);
    assert.ok(map?.data, name);
    return map.data;
  });
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  return Object.assign({ ...image }, ...maps, own) as Record<string, string>;
}

describe('docs/deploy/kubernetes*.yaml', () => {
  const containerfile = read('Containerfile');
  const image = readImageSettings(containerfile);
  const dataFolder = path.dirname((image['DATABASE_URL'] ?? '').replace('sqlite:', ''));
  const manifests = ['kubernetes.yaml', 'kubernetes-postgres.yaml'].map((name) => {
    const text = read(`docs/deploy/${name}`);
    const documents = parseAllDocuments(text);
    for (const { errors } of documents) assert.deepEqual(errors, []);
    const resources = documents.map((document) => document.toJS() as Resource);
    const workloads = resources.filter(({ kind }) => /^(?:StatefulSet|Deployment)$/.test(kind));
    return { name, text, resources, workloads };
  });
  const workloads = manifests.flatMap((manifest) => manifest.workloads);
  const pods = workloads.map(({ spec }) => spec.template.spec);

  test('the manifests start one process on SQLite, or web and engine processes on Postgres', () => {
    const secrets: Record<string, string> = {
      'app-key': Buffer.alloc(32).toString('base64'),
      'database-url': 'postgres://belfry:password@db.example.com/belfry?sslmode=verify-full',
    };
    const found = manifests.flatMap(({ text, resources, workloads: all }) =>
      all.map((workload) => {
        const settings = readWorkloadSettings(workload, resources, image);
        const folder = makeFolder();
        const { containers, volumes } = workload.spec.template.spec;
        const secret = volumes.find(({ name }) => name === 'secrets')?.secret?.secretName ?? '';
        assert.ok(text.includes(`kubectl create secret generic ${secret} `));
        const mount = containers[0].volumeMounts.find(({ name }) => name === 'secrets');
        for (const [name, value] of Object.entries(settings)) {
          assert.ok(isSetting(name), name);
          if (!name.endsWith('_FILE')) continue;
          const key = path.basename(value);
          assert.equal(mount?.mountPath, path.dirname(value));
          assert.ok(text.includes(`--from-literal=${key}=`), `the Secret gets a ${key}`);
          settings[name] = path.join(folder, key);
          fs.writeFileSync(settings[name], secrets[key] ?? '');
        }
        const config = readConfig(settings, dataFolder);
        if ('errors' in config) assert.fail(config.errors.join('\n'));
        const { metadata, kind, spec } = workload;
        return [metadata.name, kind, spec.replicas, config.role, config.database.kind];
      }),
    );
    assert.deepEqual(found, [
      ['belfry', 'StatefulSet', 1, 'all', 'sqlite'],
      ['belfry-web', 'Deployment', 2, 'web', 'postgres'],
      ['belfry-engine', 'Deployment', 2, 'engine', 'postgres'],
    ]);
  });

  test('every pod runs as the user of the image, without privileges', () => {
    const [, user] = /^USER (\d+):\1$/m.exec(containerfile) ?? [];
    for (const { securityContext, containers, enableServiceLinks } of pods) {
      const { runAsNonRoot, runAsUser, runAsGroup, fsGroup } = securityContext;
      assert.equal(runAsNonRoot, true);
      for (const id of [runAsUser, runAsGroup, fsGroup]) assert.equal(id, Number(user));
      assert.deepEqual(containers[0].securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(enableServiceLinks, false);
    }
  });

  test('every pod may run for longer than a graceful stop takes', () => {
    for (const { containers, terminationGracePeriodSeconds } of pods) {
      const sleep = containers[0].lifecycle?.preStop.sleep.seconds ?? 0;
      assert.ok(terminationGracePeriodSeconds > sleep + SETTINGS.SHUTDOWN_GRACE_SECONDS.fallback);
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
      const request = `req -x509 -newkey rsa:2048 -nodes -days 1 ${subject} -keyout ${key} -out ${pem}`;
      assert.equal(spawnSync('openssl', request.split(' ')).status, 0);
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

async function ask(url: string, ca: Buffer) {
  const [answer] = (await once(https.get(url, { ca }), 'response')) as [http.IncomingMessage];
  answer.resume();
  return { status: answer.statusCode ?? 0, location: answer.headers.location };
}
