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
  assert.equal(of('address')?.message, `${belfry.url} answers`);
  assert.equal(of('port')?.message, `the service listens on 127.0.0.1 port ${port}`);
  assert.deepEqual([of('address')?.status, of('port')?.status], ['ok', 'ok']);
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

test('doctor reports another program or another Belfry on the port or at the public address', async () => {
  await using other = await startReceiver();
  const config = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
  for (const [url, what, answers] of [
    [other.url, /is taken by another program: end that, or choose another PORT/, /not as Belfry/],
    [belfry.url, /taken by a Belfry with another database/, /as a Belfry with another database/],
  ] as const) {
    const { code, of } = await doctor({ ...config, port: Number(new URL(url).port), baseUrl: url });
    assert.deepEqual([code, of('port')?.status, of('address')?.status], [1, 'fail', 'warn']);
    assert.match(String(of('port')?.message), what);
    assert.match(String(of('address')?.message), answers);
  }
  const health = await run({ ...config, port: other.port }, ['health']);
  assert.equal(health.stderr, 'belfry: the service does not answer: what answers is not Belfry.\n');
});

test('doctor reports a public address without https, and open sign-up without a mail server', async () => {
  const usual = configOf(`sqlite:${path.join(makeFolder(), 'belfry.db')}`);
  for (const [changes, expected] of [
    [{}, []],
    [{ host: '0.0.0.0' }, ['https']],
    [{ baseUrl: 'http://192.0.2.1:1' }, ['https']],
    [{ host: '0.0.0.0', baseUrl: 'https://127.0.0.1:1' }, []],
    [{ signUp: 'open' as const }, ['sign-up']],
  ] as const) {
    const { findings } = await doctor({ ...usual, port: 0, ...changes });
    const warned = findings.filter(({ status }) => status === 'warn').map(({ check }) => check);
    assert.deepEqual(
      warned.filter((check) => /https|sign-up/.test(check)),
      expected,
    );
  }
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

test('doctor reports networks with the metadata address of clouds', async () => {
  const url = `sqlite:${path.join(makeFolder(), 'belfry.db')}`;
  const wide = await doctor(configOf(url, { ALLOWED_NETWORKS: '10.0.0.0/8,0.0.0.0/0' }));
  assert.equal(wide.of('networks')?.status, 'warn');
  assert.match(String(wide.of('networks')?.message), /ALLOWED_NETWORKS .*169\.254\.169\.254/);
  const narrow = await doctor(configOf(url, { ALLOWED_NETWORKS: '10.0.0.0/8' }));
  assert.equal(narrow.of('networks'), undefined);
});

test('doctor reports files readable by others, and closed metrics', async (t) => {
  const file = belfry.databaseUrl.replace('sqlite:', '');
  fs.chmodSync(file, 0o644);
  t.after(() => fs.chmodSync(file, 0o600));
  const { of } = await doctor({ ...configOf(belfry.databaseUrl), host: '0.0.0.0' });
  assert.deepEqual([of('files')?.status, of('metrics')?.status], ['warn', 'warn']);
  assert.match(String(of('files')?.message), new RegExp(`chmod 600 ${file}`));
  assert.match(String(of('metrics')?.message), /METRICS_TOKEN is not set/);
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
