import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createDatabase, type TestDatabase } from '#testing/postgres';
import { startTcpProxy } from '#testing/tcp-proxy';
import type { Database } from '../database/database.ts';
import { openPool } from './open.ts';

const USE = { name: 'test', connections: 3, statementMs: 300, lockMs: 0 };

describe('a Postgres that does not answer in time', () => {
  test('a slow statement is cancelled by the server without losing the connection', async () => {
    await using own = await createDatabase();
    const { database, fill } = open(own.url);
    await ask(database, 'create table kept (value text)');
    const pids = await fill();
    for (const text of [
      '/* find-slowly */ select pg_sleep(30)::text as value',
      '/* write-slowly */ insert into kept select pg_sleep(30)::text returning value',
      'select pg_sleep(30)::text as value',
    ])
      await assert.rejects(ask(database, text), { code: 'STORE_UNAVAILABLE', wroteNothing: true });
    assert.deepEqual(await fill(), pids);
    assert.deepEqual(await ask(database, 'select value from kept'), []);
    const running = "select pid as value from pg_stat_activity where query like '/*%slowly%'";
    assert.deepEqual(await ask(database, `${running} and state = 'active'`), []);
    await database.close();
  });

  test('a missing answer costs one wait, and all connections from before it are replaced', async () => {
    await using way = await openWithProxy();
    const pids = await way.fill();
    way.proxy.fallSilent();
    await assert.rejects(ask(way.database, 'select 1 as value'), {
      code: 'STORE_UNAVAILABLE',
      wroteNothing: false,
    });
    assert.deepEqual(await ask(way.database, 'select 1 as value'), [1]);
    assert.equal(way.proxy.countAskedInVain(), 1);
    assert.ok((await way.fill()).every((pid) => !pids.includes(pid)));
  });
});

function open(url: string) {
  const database = openPool({ url, onFault: () => {} }, USE);
  /** Opens as many connections as allowed, and gives the ids of their server processes. */
  const fill = async () => {
    const text = 'select pg_backend_pid() as value from pg_sleep(0.1)';
    const all = await Promise.all([1, 2, 3].map(() => ask(database, text)));
    return all.flat().toSorted((a, b) => Number(a) - Number(b));
  };
  return { database, fill };
}

async function openWithProxy() {
  const own: TestDatabase = await createDatabase();
  const proxy = await startTcpProxy(Number(new URL(own.url).port));
  const opened = open(Object.assign(new URL(own.url), { port: String(proxy.port) }).href);
  return {
    proxy,
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened.database.close();
      await proxy[Symbol.asyncDispose]();
      await own.drop();
    },
  };
}

async function ask(database: Database, text: string): Promise<unknown[]> {
  return (await database.autocommit<{ value: unknown }>(text)).map(({ value }) => value);
}
