/** docs/monitoring/README.md, "Heartbeat": a monitor is called as long as the engine works. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { silentLog } from '#domain/base/log';
import { SECOND } from '#testing/scheduling';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { openSender } from '#testing/sender';
import { startService } from '#testing/service';
import { openSqliteTestStore, type TestStore } from '#testing/stores';
import { FakeClock } from '#demo/fake-clock';
import { createHeartbeat } from '#operate/heartbeat';

/** Advances by seconds until it is so. */
const eventuallyLater = (clock: FakeClock, isSo: () => boolean) =>
  eventually(
    async () => {
      if (isSo()) return true;
      await clock.advance(SECOND);
      return false;
    },
    { everyMs: 5 },
  );

describe('a heartbeat', () => {
  test('a heartbeat is sent at the start, and its address is not logged', async () => {
    await using monitor = await startReceiver();
    const env = { HEARTBEAT_URL: `${monitor.url}/push/t0ken?status=up` };
    const logged: unknown[] = [];
    const keep = (...entry: unknown[]) => void logged.push(entry);
    const log = { debug: keep, info: keep, warn: keep, error: keep };
    await using service = await startService(openSqliteTestStore, { env, log, sends: false });
    await service.start();
    const { method, url } = await monitor.next();
    assert.deepEqual([method, url], ['GET', '/push/t0ken?status=up']);
    assert.ok(logged.length > 0 && !JSON.stringify(logged).includes('t0ken'));
  });

  test('a process without an engine sends no heartbeat', async () => {
    await using monitor = await startReceiver();
    // Only the settings name Postgres, without which there is no such role.
    const database = { DATABASE_URL: 'postgres://127.0.0.1/x', APP_KEY: `${'A'.repeat(43)}=` };
    const env = { ...database, HEARTBEAT_URL: monitor.url, ROLE: 'web' };
    await using service = await startService(openSqliteTestStore, { env, sends: false });
    await service.start();
    await service.clock.advance(120 * SECOND);
    assert.deepEqual(monitor.requests, []);
  });

  test('a heartbeat is sent every minute while the engine works, and only then', async () => {
    await using monitor = await startReceiver();
    await using sender = openSender();
    const clock = new FakeClock('2026-11-21T12:00:00Z');
    const state = { isWorking: true };
    const isWorking = () => state.isWorking;
    const options = { url: monitor.url, sender, isWorking, clock, log: silentLog };
    const heartbeat = createHeartbeat(options);
    heartbeat.start();
    await monitor.waitFor(1);
    await clock.advance(60 * SECOND);
    await monitor.waitFor(2);
    state.isWorking = false;
    await clock.advance(600 * SECOND);
    state.isWorking = true;
    await clock.advance(60 * SECOND);
    await monitor.waitFor(3);
    await heartbeat.stop();
    await clock.advance(600 * SECOND);
    assert.equal(monitor.requests.length, 3);
  });

  test('a heartbeat under way at the stop is no error', async () => {
    await using monitor = await startReceiver({ answer: 'never' });
    const sender = openSender();
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    const send: typeof sender.send = (...request) => {
      const exchange = sender.send(...request);
      end(exchange);
      return exchange;
    };
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (event: string) => void warnings.push(event) };
    const clock = new FakeClock('2026-11-21T12:00:00Z');
    const options = { url: monitor.url, isWorking: () => true, clock, log };
    const heartbeat = createHeartbeat({ ...options, sender: { ...sender, send } });
    heartbeat.start();
    await monitor.waitFor(1);
    await heartbeat.stop();
    await ended;
    await setImmediate();
    assert.deepEqual(warnings, []);
  });
});

/** Each claim of jobs reads the column `assertions`. */
const renameColumn = ({ database }: TestStore, from: string, to: string) =>
  database.autocommit(`alter table queues rename column ${from} to ${to}`);

/** Each scan reads the table `callbacks`; claims of jobs and crons don't. */
const renameTable = ({ database }: TestStore, from: string, to: string) =>
  database.autocommit(`alter table ${from} rename to ${to}`);

describe('an engine', () => {
  test('an engine that can claim crons but no jobs counts as stopped until it claims a job', async () => {
    await using target = await startReceiver();
    await using service = await startService(openSqliteTestStore);
    const { clock, engine, store } = service;
    const cron = { name: 'Beat', url: `${target.url}/cron`, cron_expression: '* * * * *' };
    assert.equal((await service.post('/api/crons', cron)).status, 201);
    const job = { queue: 'q', url: `${target.url}/job`, delay: 5 };
    assert.equal((await service.post('/api/jobs', job)).status, 201);
    await renameColumn(store, 'assertions', 'assertions_away');
    await eventuallyLater(clock, () => {
      assert.ok(target.requests.length < 5, 'crons have run for minutes');
      return engine?.isWorking() === false;
    });
    await target.waitFor(1);
    assert.ok(target.requests.every(({ url }) => url === '/cron'));

    await renameColumn(store, 'assertions_away', 'assertions');
    await eventuallyLater(clock, () => engine?.isWorking() === true);
    await target.next(({ url }) => url === '/job');
  });

  test('an engine without a successful scan for a minute counts as stopped until the next one', async () => {
    await using service = await startService(openSqliteTestStore);
    const { clock, engine, store } = service;
    await renameTable(store, 'callbacks', 'callbacks_away');
    await clock.advance(60 * SECOND);
    assert.equal(engine?.isWorking(), true, 'the last scan was a minute ago');
    await eventuallyLater(clock, () => !engine.isWorking());
    await renameTable(store, 'callbacks_away', 'callbacks');
    await eventuallyLater(clock, () => engine.isWorking());
  });

  test('an engine whose slots are all taken for minutes counts as working', async () => {
    await using target = await startReceiver({ answer: 'never' });
    const env = { MAX_CONCURRENT_REQUESTS: '1' };
    await using service = await startService(openSqliteTestStore, { env });
    const { clock, engine, store } = service;
    const url = `${target.url}/cron`;
    const cron = { name: 'Long', url, cron_expression: '* * * * *', timeout_seconds: 300 };
    assert.equal((await service.post('/api/crons', cron)).status, 201);
    const job = { queue: 'q', url: `${target.url}/job`, delay: 58 };
    assert.equal((await service.post('/api/jobs', job)).status, 201);
    await renameColumn(store, 'assertions', 'assertions_away');
    await eventuallyLater(clock, () => target.requests.length > 0);
    assert.equal(target.requests[0]?.url, '/cron');
    await renameColumn(store, 'assertions_away', 'assertions');
    for (let second = 0; second < 200; second++) {
      await clock.advance(SECOND);
      await setImmediate();
      // What is to be read of the database is read on a thread of its own.
      if (second % 10 === 0) await eventually(() => engine?.isWorking());
    }
    await eventually(() => engine?.isWorking());
    assert.equal(target.requests.length, 1, 'the slot was taken all the time');
  });
});
