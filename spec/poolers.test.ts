/** Poolers between Belfry and Postgres: by session they work, by transaction they are refused. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '#testing/free-port';
import { makeFolder } from '#testing/guard';
import { createMigratedDatabase } from '#testing/migrated';
import { eventually, launchBelfry, runOperator, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { makeClient, postJob, untilSucceeded } from '#testing/remote';
import { startRotatingPooler } from '#testing/rotating-pooler';
import { openRows } from '#testing/rows';
import { guardedSpawn } from '#testing/spawned';

const REFUSAL =
  'is behind a pooler that assigns connections to single transactions; set its pool_mode to session (PgBouncer), or let DATABASE_URL lead to the server itself';

const through = (url: string, port: number) =>
  Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;

async function checkRefused(databaseUrl: string): Promise<void> {
  const belfry = launchBelfry({ databaseUrl });
  assert.equal(await belfry.exited, 1);
  await belfry.closed;
  assert.deepEqual(belfry.output, [`belfry: Postgres ${REFUSAL}`]);
  const place = { databaseUrl, folder: makeFolder() };
  const command = await runOperator(['team', 'list'], place);
  assert.deepEqual([command.code, command.stderr], [1, `belfry: Postgres ${REFUSAL}\n`]);
  const doctor = await runOperator(['doctor'], place);
  assert.equal(doctor.code, 1);
  assert.ok(doctor.stderr.includes(`Postgres: ${REFUSAL}`), doctor.stderr);
}

test('a transaction pooler is refused with one line', async () => {
  await using database = await createMigratedDatabase();
  await using pooler = await startRotatingPooler(Number(new URL(database.url).port));
  await checkRefused(through(database.url, pooler.port));
});

describe('PgBouncer', () => {
  const skip = spawnSync('pgbouncer', ['--version']).error ? 'pgbouncer is not installed' : false;

  test('PgBouncer in transaction mode is refused', { skip }, async () => {
    await using database = await createMigratedDatabase();
    await using bouncer = await startPgBouncer(database.url, { mode: 'transaction', size: 20 });
    await checkRefused(bouncer.url);
  });

  test('PgBouncer in session mode works', { skip }, async () => {
    await using database = await createMigratedDatabase();
    await using bouncer = await startPgBouncer(database.url, { mode: 'session', size: 30 });
    await using target = await startReceiver();
    await using belfry = await startBelfry({ databaseUrl: bouncer.url });
    const client = await makeClient(belfry);
    const id = await postJob(client, { url: target.url });
    await untilSucceeded(belfry, [id]);
  });
});

async function startPgBouncer(
  url: string,
  { mode, size }: { mode: 'session' | 'transaction'; size: number },
): Promise<{ url: string } & AsyncDisposable> {
  const { hostname, port, username, pathname } = new URL(url);
  const folder = makeFolder();
  const ownPort = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  fs.chmodSync(folder, 0o755);
  fs.writeFileSync(path.join(folder, 'users'), `"${username}" ""\n`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: ownPort,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: path.join(folder, 'users'),
    pool_mode: mode,
    default_pool_size: size,
    // PgBouncer refuses to run as root.
    ...(process.getuid?.() === 0 && { user: 'nobody' }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=${hostname} port=${port}`;
  fs.writeFileSync(file, `${databases}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const bouncer = guardedSpawn('pgbouncer', [file]);
  const pooled = `postgres://${username}@127.0.0.1:${ownPort}${pathname}`;
  await eventually(async () => {
    const rows = await openRows(pooled).catch(() => null);
    await rows?.[Symbol.asyncDispose]();
    return rows !== null;
  });
  return { url: pooled, [Symbol.asyncDispose]: () => bouncer[Symbol.asyncDispose]() };
}
