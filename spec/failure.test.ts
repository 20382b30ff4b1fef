/** What the service does while its database, its disk or its clock fails, and after (§3.6, §3.7; nothing accepted is lost). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { createMigratedDatabase } from '#testing/migrated';
import { readMetrics } from '#testing/metrics';
import { startPostgres } from '#testing/postgres';
import { startReceiver } from '#testing/receiver';
import { listJobs, makeClient, postJob, setQueue, untilSucceeded } from '#testing/remote';
import { openRows } from '#testing/rows';
import { makeGate, scheduleCron, scheduleJob } from '#testing/scheduling';
import { useScenes } from '#testing/scenes';
import { startService, type TestService } from '#testing/service';
import {
  forEachStore,
  openPostgresTestStore,
  openSqliteTestStore,
  postgresUrl,
} from '#testing/stores';
import { startTcpProxy } from '#testing/tcp-proxy';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

const HOUR = 3_600_000;
const env = { PLANS: 'unlimited=unlimited' };

describe('a full disk', () => {
  test('with a full disk the API answers 503 with Retry-After, recovers, and loses no running attempt', async () => {
    const gate = makeGate();
    await using target = await startReceiver();
    target.answer('/slow', { after: gate.opened, body: 'x'.repeat(60_000) });
    await using service = await startService(openSqliteTestStore);
    const slow = await scheduleJob(service, { url: `${target.url}/slow` });
    await target.waitFor(1);
    await limitPages(service, 0);
    const big = { n: 'x'.repeat(100_000) };
    const job = { queue: 'emails', url: `${target.url}/refused`, payload: big };
    const refused = await service.post('/api/jobs', job);
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get('content-type') ?? '', /^application\/json/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(typeof refused.json['message'], 'string');
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503, 'not ready');
    gate.open();
    await eventually(() => service.engine?.inFlight === 0);

    await limitPages(service, 100_000);
    await service.clock.advance(1_000);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200, 'ready again');
    assert.equal((await service.post('/api/jobs', job)).status, 201);
    // The pause before the outcome is tried again goes by the clock.
    await eventually(async () => {
      await service.clock.advance(100);
      return (await service.work.findJob(service.teamId, slow.job_id))?.status === 'success';
    });
    await service.quiet();
    const urls = target.requests.map(({ url }) => url);
    assert.deepEqual(urls, ['/slow', '/refused'], 'what was refused was not sent before');
  });
});

/** As a disk with room for so many pages more. */
async function limitPages({ store }: TestService, more: number): Promise<void> {
  const ask = async (text: string) => store.database.autocommit<Record<string, number>>(text);
  const [row] = await ask('pragma page_count');
  await ask(`pragma max_page_count = ${(row?.['page_count'] ?? 0) + more}`);
}

forEachStore((_name, openTestStore) => {
  const start = useScenes(openTestStore);

  describe('a clock that jumps', () => {
    test('a clock set back resends nothing; new jobs start at once, others at their time', async () => {
      const { service, receiver: target } = await start();
      await scheduleCron(service, { url: `${target.url}/cron`, cron_expression: '0 * * * *' });
      await scheduleJob(service, { url: `${target.url}/before` });
      await target.waitFor(1);
      await service.quiet();
      await service.advance(HOUR);
      await target.waitFor(2);
      await scheduleJob(service, { url: `${target.url}/waiting`, delay: 60 });
      service.clock.jumpTo(service.clock.now() - 2 * HOUR);
      await service.advance(2_000);
      await scheduleJob(service, { url: `${target.url}/after` });
      await target.waitFor(3);
      await service.quiet();
      await service.advance(HOUR + 30 * 60_000);
      assert.deepEqual(
        target.requests.map(({ url }) => url),
        ['/before', '/cron', '/after', '/cron'],
        'the hour that has not run runs',
      );
      await service.advance(2 * HOUR);
      await target.waitFor(6);
      assert.deepEqual(
        target.requests
          .slice(4)
          .map(({ url }) => url)
          .toSorted(),
        ['/cron', '/waiting'],
        'the hour that comes again is not run again',
      );
    });

    test('a cron continues on schedule after the clock was ahead for a moment', async () => {
      const { service, receiver: target } = await start();
      const { work, teamId, clock } = service;
      const cron_expression = '*/5 * * * *';
      const endless = await scheduleCron(service, {
        url: `${target.url}/endless`,
        cron_expression,
      });
      const ending = await scheduleCron(service, { url: `${target.url}/ending`, cron_expression });
      const cron = await work.findCron(teamId, ending.id);
      assert.ok(cron);
      const end = { endsAt: clock.now() + 24 * HOUR, maxRuns: null };
      await work.editCron(teamId, ending.id, { ...cron, alertThreshold: null, end });
      const nextRuns = async () =>
        Promise.all(
          [endless, ending].map(async ({ id }) => (await work.findCron(teamId, id))?.nextRunAt),
        );
      const right = clock.now();
      clock.jumpTo(right + 400 * 24 * HOUR);
      await service.advance(12_000);
      await target.waitFor(2);
      const [far = 0, none] = await nextRuns();
      assert.ok(Number(far) > right + 399 * 24 * HOUR);
      assert.equal(none, null, 'it has ended');
      clock.jumpTo(right + 12_000);
      await service.advance(10_000);
      const inFive = right + 5 * 60_000;
      assert.deepEqual(await nextRuns(), [inFive, inFive]);
      await service.advance(6 * 60_000);
      assert.equal(target.requests.length, 2, 'the time that has run does not run again');
      await service.advance(5 * 60_000);
      await target.waitFor(4);
      const urls = target.requests.map(({ url }) => url);
      assert.deepEqual(urls.toSorted(), ['/ending', '/ending', '/endless', '/endless']);
    });
  });
});

// Beside each other: they mostly wait. Not all at once: each starts processes of its own.
describe('a database that is lost', { concurrency: 3 }, () => {
  test('a Postgres table that is locked for too long gives 503, and the job is not stored', async () => {
    await using target = await startReceiver();
    await using database = await createMigratedDatabase();
    await using belfry = await startBelfry({ databaseUrl: database.url, env });
    const client = await makeClient(belfry);
    await untilSucceeded(belfry, [await postJob(client, { url: `${target.url}/before` })]);
    await using other = await openRows(database.url);
    await other.all('begin; lock table jobs in share row exclusive mode');
    const refused = await client.post('/api/jobs', {
      queue: 'emails',
      url: `${target.url}/refused`,
    });
    assert.equal(refused.status, 503);
    assert.equal((await fetch(`${belfry.url}/readyz`)).status, 200);
    await other.all('commit');
    const after = await postJob(client, { url: `${target.url}/after` });
    await untilSucceeded(belfry, [after]);
    assert.deepEqual(
      (await listJobs(belfry)).map(({ url }) => url).toSorted(),
      [`${target.url}/after`, `${target.url}/before`],
      'what was answered with 503 is there',
    );
  });

  test('a Postgres with a full disk gives 503, and 201 once there is room', async () => {
    await using target = await startReceiver();
    await using service = await startService((options) =>
      openPostgresTestStore({ ...options, isUnused: true }),
    );
    await using other = await openRows(postgresUrl(service.store));
    // As Postgres itself says it (53100) when a table's file cannot grow.
    await other.all(`create function fill() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end $$; create trigger full_disk before insert on jobs execute function fill()`);
    const job = { queue: 'emails', url: `${target.url}/refused` };
    assert.equal((await service.post('/api/jobs', job)).status, 503);
    await other.all('drop trigger full_disk on jobs');
    await scheduleJob(service, { url: `${target.url}/after` });
    await target.waitFor(1);
    await service.quiet();
    assert.deepEqual(
      target.requests.map(({ url }) => url),
      ['/after'],
    );
  });

  test('a stopped Postgres gives 503; after its start work continues and the running outcome is stored', async () => {
    const gate = makeGate();
    await using target = await startReceiver();
    target.answer('/slow', { after: gate.opened });
    target.answer('/failing', [{ status: 500, after: gate.opened }, { status: 200 }]);
    await using server = await startPostgres({ durable: true });
    await using belfry = await startBelfry({ databaseUrl: server.url, env });
    const client = await makeClient(belfry);
    await setQueue(belfry, 'limited', '--retries', '1s', '--concurrency', '1');
    const slow = await postJob(client, { url: `${target.url}/slow` });
    await postJob(client, { queue: 'limited', url: `${target.url}/failing` });
    const waiting = await postJob(client, { url: `${target.url}/waiting`, delay: 2 });
    await target.waitFor(2);
    await server.crash();
    gate.open();
    assert.equal(await readiness(belfry), 503);
    const page = await fetch(`${belfry.url}/login`);
    assert.equal(page.status, 503);
    assert.match(await page.text(), /The database does not answer/);
    const refused = await client.post('/api/jobs', {
      queue: 'emails',
      url: `${target.url}/refused`,
    });
    assert.equal(refused.status, 503);
    await server.restart();
    await eventually(async () => (await readiness(belfry)) === 200, {
      withinMs: LONG_WAIT_LIMIT_MS,
    });
    const after = await postJob(client, { url: `${target.url}/after` });
    const behind = await postJob(client, { queue: 'limited', url: `${target.url}/behind` });
    await untilSucceeded(belfry, [slow, waiting, after, behind]);
    await target.waitFor(6);
    const times = target.requests.filter(({ url }) => url === '/failing').length;
    assert.equal(times, 2, 'the attempt that failed meanwhile is retried, and its slot is free');
    assert.equal(target.requests.length, 6);
  });

  test('a lost answer to a settlement: the outcome is counted, not reported as too late', async () => {
    await using target = await startReceiver();
    await using database = await createMigratedDatabase();
    await using proxy = await startTcpProxy(Number(new URL(database.url).port));
    const url = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
    await using belfry = await startBelfry({ databaseUrl: url, env });
    const client = await makeClient(belfry);
    proxy.swallowAnswerTo('settle-jobs-at-once');
    await untilSucceeded(belfry, [await postJob(client, { url: `${target.url}/job` })]);
    const isCounted = async () => {
      return /^belfry_runs_total\{.*outcome="success".*\} 1$/m.test(await readMetrics(belfry));
    };
    await eventually(isCounted, {
      withinMs: LONG_WAIT_LIMIT_MS,
      everyMs: 100,
      what: 'the run to be counted',
    });
    assert.ok(!belfry.output.some((line) => line.includes('attempt.too-late')));
    assert.equal(target.requests.length, 1);
  });
});

async function readiness(belfry: BelfryProcess): Promise<number> {
  return (await fetch(`${belfry.url}/readyz`)).status;
}
