import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { configOf, doctor, run } from '#testing/command-line';
import { freePort } from '#testing/free-port';
import { makeFolder } from '#testing/guard';
import { startPathProxy } from '#testing/path-proxy';
import { useStarted } from '#testing/hooks';
import { makeSqliteUrl, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';

const belfry = useStarted(startBelfry);

test('health and doctor find a running service at its address', async () => {
  const port = Number(new URL(belfry.url).port);
  const config = { ...configOf(belfry.databaseUrl), port, baseUrl: belfry.url };
  const health = await run(config, ['health']);
  assert.deepEqual([health.code, health.json], [0, { status: 'ok' }]);
  const { of } = await doctor(config);
  const [address, listening] = [of('address'), of('port')];
  assert.deepEqual([address?.status, address?.message], ['ok', `${belfry.url} answers`]);
  assert.equal(listening?.message, `the service listens on 127.0.0.1 port ${port}`);
  assert.equal(listening?.status, 'ok');
  assert.equal(of('files')?.status, 'ok');
  assert.match(String(of('disk')?.message), /GB are free/);
});

test('health and doctor find no service on a free port', async () => {
  const port = await freePort();
  const config = { ...configOf(await makeSqliteUrl()), port };
  const silent = await run(config, ['health']);
  assert.equal(silent.code, 1);
  assert.equal(silent.stderr, 'belfry: the service does not answer: ECONNREFUSED.\n');
  const { of } = await doctor(config);
  assert.equal(of('port')?.message, `127.0.0.1 port ${port} is free`);
});

test('doctor warns of a database that is larger than its limit', async () => {
  const config = configOf(belfry.databaseUrl, { HISTORY_MAX_MB: '10' });
  assert.equal((await doctor(config)).of('size')?.status, 'ok');
  const exceeded = (await doctor({ ...config, historyMaxBytes: 1_000 })).of('size');
  assert.equal(exceeded?.status, 'warn');
  assert.match(exceeded.message, /a running engine deletes the oldest runs, but none of/);
});

test('doctor reports a port that another program uses', async () => {
  await using other = await startReceiver();
  const port = Number(new URL(other.url).port);
  const config = { ...configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`), port };
  const health = await run(config, ['health']);
  assert.equal(health.stderr, 'belfry: the service does not answer: what answers is not Belfry.\n');
  const { code, of } = await doctor(config);
  assert.deepEqual([code, of('port')?.status], [1, 'fail']);
  assert.equal(
    of('port')?.message,
    `127.0.0.1 port ${port} is taken by another program: end that, or choose another PORT`,
  );
});

test('doctor reports another Belfry on the port or at the public address', async () => {
  const port = Number(new URL(belfry.url).port);
  const config = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
  const { code, of } = await doctor({ ...config, port, baseUrl: belfry.url });
  assert.equal(code, 1);
  assert.match(String(of('port')?.message), /taken by a Belfry with another database/);
  assert.match(String(of('address')?.message), /answers as a Belfry with another database/);
});

test('doctor reports a public address without https, and open sign-up without a mail server', async () => {
  const usual = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
  const checksOf = async (changes: object) => {
    const { findings } = await doctor({ ...usual, port: 0, ...changes });
    const warned = findings.filter(({ status }) => status === 'warn');
    return warned.map(({ check }) => check).filter((check) => /https|sign-up/.test(check));
  };
  assert.deepEqual(await checksOf({}), []);
  assert.deepEqual(await checksOf({ host: '0.0.0.0' }), ['https']);
  assert.deepEqual(await checksOf({ baseUrl: 'http://192.0.2.1:1' }), ['https']);
  assert.deepEqual(await checksOf({ host: '0.0.0.0', baseUrl: 'https://127.0.0.1:1' }), []);
  assert.deepEqual(await checksOf({ signUp: 'open' }), ['sign-up']);
});

test("doctor reports a backup folder that can't be written", async () => {
  const folder = makeFolder();
  fs.writeFileSync(path.join(folder, 'file'), '');
  const config = configOf(`sqlite:${path.join(folder, 'belfry.db')}`);
  const findingOf = async (name: string) => {
    const backups = { folder: path.join(folder, name), everyHours: 24, keep: 7 };
    return (await doctor({ ...config, port: 0, backups })).of('backups');
  };
  assert.equal((await findingOf('new/folder'))?.status, 'warn');
  const { status, message } = (await findingOf('file/below')) ?? {};
  assert.equal(status, 'fail');
  assert.match(String(message), /cannot be written \(.*file is no folder\): .*ReadWritePaths=/);
});

test('doctor reports networks with the metadata address of clouds, and why mails fail', async () => {
  const url = `sqlite:${path.join(makeFolder(), 'belfry.db')}`;
  const SMTP_URL = `smtp://127.0.0.1:${await freePort()}`;
  const wide = await doctor(configOf(url, { SMTP_URL, ALLOWED_NETWORKS: '10.0.0.0/8,0.0.0.0/0' }));
  assert.equal(wide.of('networks')?.status, 'warn');
  assert.match(String(wide.of('networks')?.message), /ALLOWED_NETWORKS .*169\.254\.169\.254/);
  assert.match(String(wide.of('mail')?.message), /takes no mails \(connect ECONNREFUSED /);
  const narrow = await doctor(configOf(url, { ALLOWED_NETWORKS: '10.0.0.0/8' }));
  assert.equal(narrow.of('networks'), undefined);
});

test("doctor reports files readable by others, closed metrics, and an address that isn't Belfry's", async (t) => {
  await using other = await startReceiver();
  const file = belfry.databaseUrl.replace('sqlite:', '');
  fs.chmodSync(file, 0o644);
  t.after(() => fs.chmodSync(file, 0o600));
  const config = { ...configOf(belfry.databaseUrl), host: '0.0.0.0', baseUrl: other.url };
  const { findings } = await doctor(config);
  const warned = (check: string) =>
    String(findings.find((each) => each.check === check && each.status === 'warn')?.message);
  assert.match(warned('files'), new RegExp(`chmod 600 ${file}`));
  assert.match(warned('metrics'), /METRICS_TOKEN is not set/);
  assert.match(warned('address'), /answers 200, and not as Belfry/);
});

test('doctor reports a proxy that strips the path', async () => {
  const env = { BASE_URL: 'http://127.0.0.1:1/tools' };
  await using below = await startBelfry({ env });
  await using proxy = await startPathProxy('/tools', { strips: true });
  proxy.passTo(below.url);
  const config = { ...configOf(below.databaseUrl), baseUrl: proxy.url };
  const address = (await doctor(config)).of('address');
  assert.match(String(address?.message), /loses its path on the way/);
});
