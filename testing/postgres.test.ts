import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createDatabase, startPostgres } from './postgres.ts';

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function isReachable(url: string): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  );
}

test('databases are empty, apart from each other and gone after drop', async () => {
  await using first = await createDatabase();
  const second = await createDatabase();
  await query(first.url, 'create table bells (id int)');
  await assert.rejects(query(second.url, 'select * from bells'), /does not exist/);
  await second.drop();
  assert.equal(await isReachable(second.url), false);
  assert.deepEqual(await query(first.url, 'select * from bells'), []);
});

test('a stopped server is gone', async () => {
  const server = await startPostgres();
  assert.deepEqual(await query(server.url, 'show fsync'), [{ fsync: 'off' }]);
  await server.stop();
  assert.equal(await isReachable(server.url), false);
});

test('a durable server keeps commits through a crash', async () => {
  await using server = await startPostgres({ durable: true, settings: { work_mem: '5MB' } });
  await query(server.url, 'create table bells as select 1 as id');
  await server.crash();
  assert.equal(await isReachable(server.url), false);
  await server.restart();
  assert.deepEqual(await query(server.url, 'select id from bells'), [{ id: 1 }]);
  assert.deepEqual(await query(server.url, 'show fsync'), [{ fsync: 'on' }]);
  assert.deepEqual(await query(server.url, 'show work_mem'), [{ work_mem: '5MB' }]);
});

test("a standby has its primary's data and can be promoted", async () => {
  await using primary = await startPostgres();
  await using standby = await startPostgres({ standbyOf: primary.port });
  await query(primary.url, 'create table bells as select 1 as id');
  await assert.rejects(query(standby.url, 'create table more (id int)'), /read-only transaction/);
  const has = async () =>
    (
      await query(
        standby.url,
        `select to_regclass('bells') as it where to_regclass('bells') is not null`,
      )
    ).length === 1;
  for (let tries = 0; tries < 250 && !(await has()); tries++) await delay(20);
  await primary.crash();
  await query(standby.url, 'select pg_promote()');
  await query(standby.url, 'insert into bells values (2)');
  assert.deepEqual(await query(standby.url, 'select id from bells'), [{ id: 1 }, { id: 2 }]);
});

test('a server ends when the process that started it is killed', async () => {
  const source = `
    const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('./postgres.ts'))});
    console.log((await startPostgres()).url);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(owner.stdout), 'line')) as [string];
  assert.equal(await isReachable(url), true);
  owner.kill('SIGKILL');
  for (let tries = 0; tries < 100 && (await isReachable(url)); tries++) await delay(20);
  assert.equal(await isReachable(url), false);
});
