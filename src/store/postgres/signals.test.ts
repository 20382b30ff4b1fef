import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { newId } from '#domain/base/ids';
import { silentLog } from '#domain/base/log';
import { ask } from '#testing/ask';
import { pluck } from '#testing/pluck';
import { eventually } from '#testing/process';
import { openPostgresTestStore, postgresUrl, type TestStore } from '#testing/stores';
import { startTcpProxy } from '#testing/tcp-proxy';
import type { Signal } from '../database/signals.ts';
import type { Store } from '../store.ts';
import { PostgresSignals } from './signals.ts';

describe('signals on Postgres', () => {
  test('the pauses between failed connections grow', async () => {
    let connections = 0;
    const server = net.createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as net.AddressInfo;
    const clock = new FakeClock(0);
    const at = { url: `postgres://me@127.0.0.1:${port}/db` };
    const signals = new PostgresSignals(at, null as never, clock, silentLog);
    signals.start();
    for (let tenths = 0; tenths < 150; tenths++) {
      await eventually(() => clock.waiting > 0, { what: 'the plan of the next attempt' });
      await clock.advance(100);
    }
    await signals.close();
    server.close();
    assert.ok(connections > 4 && connections < 10, `${connections} connections in 15 seconds`);
  });

  test('signals arrive again after a freeze, even if the old connection is dead', async () => {
    await using store = await openPostgresTestStore();
    await using proxy = await startTcpProxy(Number(new URL(postgresUrl(store)).port));
    const received = await listen(store, proxy.port);

    proxy.fallSilent();
    await store.testClock.freeze(20_000);
    await store.testClock.advance(100);
    await eventually(() => received.length === 2, { what: 'another connection' });
    assert.deepEqual(received, [{ kind: 'unknown' }, { kind: 'unknown' }]);
    const signal: Signal = { kind: 'callbacks', teamId: newId(0) };
    store.signals.send([signal]);
    await store.testClock.advance(10);
    await eventually(() => received.length > 2, { what: 'the signal' });
    assert.deepEqual(received.slice(2), [signal], 'received once');
  });

  test('signals use one new connection if the old one ends during its check', async () => {
    await using store = await openPostgresTestStore();
    await using proxy = await startTcpProxy(Number(new URL(postgresUrl(store)).port));
    const received = await listen(store, proxy.port);
    const [first] = await pidsOfListeners(store);

    proxy.swallowAnswerTo('select 1');
    await store.testClock.advance(10_000);
    await ask(store, 'select pg_terminate_backend($1)', [first]);
    const hasConnected = async () => {
      await store.testClock.advance(100);
      return received.length > 1;
    };
    await eventually(hasConnected, { what: 'another connection' });
    store.signals.send([{ kind: 'notifications' }]);
    await store.testClock.advance(10);
    await eventually(() => received.length > 2, { what: 'the signal' });
    assert.deepEqual(pluck(received, 'kind'), ['unknown', 'unknown', 'notifications']);
    assert.equal((await pidsOfListeners(store)).length, 1);
  });

  test('instead of signals that could not be sent, one of unknown content is sent later', async () => {
    await using store = await openPostgresTestStore();
    await using proxy = await startTcpProxy(Number(new URL(postgresUrl(store)).port));
    const received = await listen(store);
    const url = Object.assign(new URL(postgresUrl(store)), { port: String(proxy.port) }).href;
    const { signals } = await store.openAnother({ location: { kind: 'postgres', url } });
    proxy.cutBefore('pg_notify');
    for (let n = 0; n < 3; n++) signals.send([{ kind: 'callbacks', teamId: newId(0) }]);
    await store.testClock.advance(5_000);
    assert.equal(received.length, 1, 'something got through');
    proxy.cutBefore(null);
    const arrived = async () => {
      await store.testClock.advance(1_000);
      return received.length > 1;
    };
    await eventually(arrived, { what: 'the signal' });
    await store.testClock.advance(10_000);
    assert.deepEqual(received, [{ kind: 'unknown' }, { kind: 'unknown' }]);
  });

  test('malformed signals cause a full scan', async () => {
    await using store = await openPostgresTestStore();
    const received = await listen(store);
    const job = '"kind":"jobs","queueId":"q","teamId":"t"';
    const malformed = ['hello', `["x",{${job}}]`, `["x",{${job},"dueAt":null}]`, '["x",null]'];
    for (const payload of malformed) await ask(store, `select pg_notify('belfry', $1)`, [payload]);
    await eventually(() => received.length > malformed.length, { what: 'the signals' });
    assert.deepEqual(new Set(pluck(received, 'kind')), new Set(['unknown']));
  });

  test('a signal connection that answers in time is kept', async () => {
    await using store = await openPostgresTestStore();
    const received = await listen(store);
    for (let n = 0; n < 6; n++) await store.testClock.freeze(4_000);
    await store.testClock.advance(100);
    store.signals.send([{ kind: 'notifications' }]);
    await store.testClock.advance(10);
    await eventually(() => received.length > 1, { what: 'the signal' });
    assert.deepEqual(received, [{ kind: 'unknown' }, { kind: 'notifications' }]);
  });
});

/**
 * The signals that another process gets from now on; the first one says that it listens.
 *
 * @param port  of a proxy on the way
 */
async function listen(store: TestStore, port?: number): Promise<Signal[]> {
  const url = new URL(postgresUrl(store));
  if (port !== undefined) url.port = String(port);
  const location = { kind: 'postgres', url: url.href } as const;
  const { signals } = await store.openAnother({ serving: true, location });
  const received: Signal[] = [];
  signals.listen((signal) => received.push(signal));
  await eventually(() => received.length === 1, { what: 'the connection' });
  return received;
}

/** The connections to this database that listen, by the process that serves each. */
async function pidsOfListeners({ database }: Store): Promise<number[]> {
  const text = `select pid from pg_stat_activity
    where application_name = 'belfry signals' and datname = current_database()`;
  return (await database.autocommit<{ pid: number }>(text)).map(({ pid }) => pid);
}
