/** §3.1: a cron's states, its runs and Run now; §3.6, §3.7. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  executionsOf,
  makeGate,
  MINUTE,
  requestsTo,
  restartEngine,
  scheduleCron,
  scheduleJob,
  SECOND,
  startSecondEngine,
} from '#testing/scheduling';
import { type StartScene, useScenes } from '#testing/scenes';
import { openPostgresTestStore, openSqliteTestStore } from '#testing/stores';

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);

const start = useScenes(openSqliteTestStore);
describe('paused ⇄ active', () => declarePausing(start));
describe('deleting a cron', () => declareDeleting(start));
describe('schedule time reached', () => declareRuns(start));
describe('two engines', () => declareTwoEngines(useScenes(openPostgresTestStore)));
describe('missed times (§3.7)', () => declareMissedTimes(start));
describe('Run now', () => declareRunNow(start));

function declarePausing(start: StartScene) {
  test('a started cron runs on schedule again; missed times are not made up for', async () => {
    const { service, receiver, sent } = await start();
    const { id } = await scheduleCron(service, { url: receiver.url, is_active: false });
    await service.advance(150 * SECOND);
    const started = await service.work.startCron(service.teamId, id);
    assert.deepEqual([started?.isActive, started?.nextRunAt], [true, at('12:03:00')]);
    await service.advance(30 * SECOND - 1);
    assert.equal(receiver.requests.length, 0);
    await service.advance(1);
    await sent(1);
  });
}

function declareDeleting(start: StartScene) {
  test('a deleted cron does not run again, and its executions are deleted', async () => {
    const gate = makeGate();
    const { service, receiver, sent } = await start();
    receiver.answer('/', [{ status: 200 }, { after: gate.opened }]);
    const { id } = await scheduleCron(service, { url: `${receiver.url}/` });
    await service.advance(MINUTE);
    await sent(1);
    await service.clock.advance(MINUTE);
    await receiver.waitFor(2);
    assert.equal((await executionsOf(service, id)).length, 2);
    assert.equal(await service.work.deleteCron(service.teamId, id), true);
    assert.deepEqual(await executionsOf(service, id), []);
    gate.open();
    await service.quiet();
    await service.advance(3 * MINUTE);
    assert.equal(receiver.requests.length, 2);
    assert.deepEqual(await executionsOf(service, id), []);
  });
}

function declareRuns(start: StartScene) {
  test('each scheduled time starts one execution, never early', async () => {
    const { service, receiver, sent } = await start();
    const { id } = await scheduleCron(service, {
      url: receiver.url,
      cron_expression: '*/2 * * * *',
    });
    await service.advance(2 * MINUTE - 1);
    assert.equal(receiver.requests.length, 0);
    await service.advance(1);
    await sent(1);
    await service.advance(2 * MINUTE);
    await sent(2);
    const executions = await executionsOf(service, id);
    const times = executions.map(({ scheduledFor, startedAt }) => [scheduledFor, startedAt]);
    assert.deepEqual(times, [
      [at('12:02:00'), at('12:02:00')],
      [at('12:04:00'), at('12:04:00')],
    ]);
    const cron = await service.work.findCron(service.teamId, id);
    assert.equal(cron?.nextRunAt, at('12:06:00'));
  });

  test('a cron runs even while its previous execution is still running', async () => {
    const gate = makeGate();
    const { service, receiver } = await start({ answer: { after: gate.opened } });
    const { id } = await scheduleCron(service, { url: receiver.url, timeout_seconds: 300 });
    for (let n = 1; n <= 2; n++) {
      await service.clock.advance(MINUTE);
      await receiver.waitFor(n);
    }
    const running = await executionsOf(service, id);
    assert.ok(running.every(({ status }) => status === 'running'));
    gate.open();
    await service.quiet();
    const ended = await executionsOf(service, id);
    assert.deepEqual(
      ended.map(({ status, durationMs }) => [status, durationMs]),
      [
        ['success', 60_000],
        ['success', 0],
      ],
    );
  });
}

function declareTwoEngines(start: StartScene) {
  test('two nodes never run the same scheduled time twice (§3.7)', async () => {
    const { service, receiver } = await start();
    await using second = await startSecondEngine(service);
    const crons = [];
    for (let n = 0; n < 3; n++)
      crons.push(await scheduleCron(service, { url: `${receiver.url}/${n}` }));
    for (let minute = 1; minute <= 3; minute++) {
      await service.clock.advance(MINUTE);
      await receiver.waitFor(3 * minute);
      await Promise.all([service.quiet(), second.quiet()]);
    }
    assert.equal(receiver.requests.length, 9);
    for (const { id } of crons) {
      const times = (await executionsOf(service, id)).map(({ scheduledFor }) => scheduledFor);
      assert.deepEqual(times, [at('12:01'), at('12:02'), at('12:03')]);
    }
  });
}

function declareMissedTimes(start: StartScene) {
  test('after a downtime a cron runs once at once, then on schedule', async () => {
    const { service, receiver, sent } = await start();
    const { id } = await scheduleCron(service, { url: receiver.url });
    await service.advance(MINUTE);
    await sent(1);
    const stopped = service.engine?.stop(0);
    await service.clock.advance(0);
    await stopped;
    await service.clock.advance(10.5 * MINUTE);
    assert.equal(receiver.requests.length, 1);
    await using back = await restartEngine(service);
    await receiver.waitFor(2);
    await back.quiet();
    assert.equal(receiver.requests.length, 2, 'not one per missed time');
    await service.clock.advance(30 * SECOND - 1);
    assert.equal(receiver.requests.length, 2);
    await service.clock.advance(1);
    await receiver.waitFor(3);
    await back.quiet();
    const times = (await executionsOf(service, id)).map(({ startedAt }) => startedAt);
    assert.deepEqual(times, [at('12:01:00'), at('12:11:30'), at('12:12:00')]);
  });

  test('an overload of more than a minute gives one execution once a slot is free', async () => {
    const gate = makeGate();
    const { service, receiver, sent } = await start({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    receiver.answer('/hog', { after: gate.opened });
    const queue = await service.work.setQueue(service.teamId, 'emails', { timeoutSeconds: 300 });
    await scheduleJob(service, { url: `${receiver.url}/hog`, queue: queue.name });
    await receiver.waitFor(1);
    await scheduleCron(service, { url: `${receiver.url}/cron` });
    await service.clock.advance(3.5 * MINUTE);
    assert.equal(requestsTo(receiver, '/cron').length, 0);
    gate.open();
    await sent(2);
    assert.equal(requestsTo(receiver, '/cron').length, 1);
    await service.advance(30 * SECOND);
    await receiver.waitFor(3);
    assert.equal(requestsTo(receiver, '/cron').length, 2);
  });
}

function declareRunNow(start: StartScene) {
  test('Run now at a scheduled time runs both, and pressed twice runs twice', async () => {
    const { service, receiver, sent } = await start({ sends: false });
    const { id } = await scheduleCron(service, { url: receiver.url });
    await service.clock.advance(MINUTE);
    await service.work.runCronNow(service.teamId, id);
    await service.work.runCronNow(service.teamId, id);
    await service.engine?.start();
    await sent(3);
    const runs = await executionsOf(service, id);
    const planned = runs.map(({ scheduledFor }) => scheduledFor);
    assert.deepEqual(
      planned.filter((at) => at !== null),
      [at('12:01')],
    );
    const cron = await service.work.findCron(service.teamId, id);
    assert.equal(cron?.nextRunAt, at('12:02'));
  });
}
