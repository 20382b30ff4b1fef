/** §6.1–§6.3: completion callbacks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aNode } from '#testing/factories';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { type RawConnection, startRawReceiver } from '#testing/raw-receiver';
import { startReceiver } from '#testing/receiver';
import { clientOf, makeClient, postJob as postClientJob } from '#testing/remote';
import {
  makeOnceQueue,
  useServiceAndTarget,
  ONCE,
  postJob,
  runCron,
  runJob,
  startWireReceiver,
} from '#testing/runs';
import {
  attemptsOf,
  MINUTE,
  requestsTo,
  scheduleCron,
  scheduleJob,
  SECOND,
  setQueue,
} from '#testing/scheduling';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

/** An instant as callbacks write it. */
function iso(ms: number | null): string {
  return new Date(Math.floor(Number(ms) / 1000) * 1000).toISOString().replace('.000Z', '+00:00');
}

const { service, target } = useServiceAndTarget(openSqliteTestStore);
let count = 0;

/** A target and a callback address of their own. */
const addresses = () => {
  const path = `/callback-${count++}`;
  const sent = () => requestsTo(target, path);
  const next = () => target.next(({ url }) => url === path);
  return {
    path,
    callback_url: target.url + path,
    url: `${target.url}/target${path}`,
    sent,
    next,
  };
};

describe('§6.1 delivery', () => {
  test('a callback is a JSON POST without any header configured for the target', async () => {
    await using wire = await startWireReceiver();
    const job = await runJob(service, {
      url: `${target.url}/ok`,
      method: 'PUT',
      headers: { Authorization: 'secret', 'Content-Type': 'text/plain', 'User-Agent': 'mine' },
      callback_url: `${wire.url}/cb`,
    });
    const [head, body = ''] = (await wire.next()).split('\r\n\r\n');
    assert.equal(
      head,
      `POST /cb HTTP/1.1\r\nhost: ${wire.host}\r\nconnection: keep-alive\r\n` +
        `Content-Type: application/json\r\nUser-Agent: node\r\ncontent-length: ${body.length}`,
    );
    assert.equal((JSON.parse(body) as { job_id: string }).job_id, job.id);
  });

  test('a callback is sent once and neither retried nor redirected, whatever the response', async () => {
    for (const answer of ['reset', { status: 307, headers: { Location: '/elsewhere' } }] as const) {
      const { path, callback_url, sent, next } = addresses();
      target.answer(path, answer);
      const job = await runJob(service, { url: `${target.url}/ok`, callback_url });
      await next();
      await service.quiet();
      assert.deepEqual(await service.store.callbacks.scanWaiting(), [], 'none waits');
      await service.advance(2 * MINUTE);
      assert.equal(sent().length, 1);
      assert.equal(requestsTo(target, '/elsewhere').length, 0);
      assert.deepEqual(await service.store.jobs.find(service.teamId, job.id), job);
    }
  });

  test("a callback's connection is closed after 10 seconds, even while bytes arrive", async () => {
    const endless = async (connection: RawConnection) => {
      await connection.until();
      await connection.send('HTTP/1.1 200 OK\r\n\r\n');
      await connection.drip('x'.repeat(100_000), { everyMs: 2 });
    };
    for (const script of [() => {}, endless]) {
      await using callbacks = await startRawReceiver(script);
      const job = await runJob(service, { url: target.url, callback_url: callbacks.url });
      const connection = await callbacks.next();
      await connection.until();
      let isOver = false;
      const over = connection.until('more').catch(() => (isOver = true));
      await service.clock.advance(9_999);
      assert.equal(isOver, false);
      await service.clock.advance(1);
      await over;
      assert.equal(isOver, true);
      await service.quiet();
      assert.deepEqual(await service.store.jobs.find(service.teamId, job.id), job);
    }
  });
});

describe('§6.2 job callback', () => {
  test('the callback of a successful job has exactly these fields, types and bytes', async () => {
    const { path, url, callback_url, next } = addresses();
    const gate = Promise.withResolvers<void>();
    target.answer(`/target${path}`, { status: 201, after: gate.promise });
    const id = await postJob(service, { url, callback_url });
    await target.next((request) => request.url === `/target${path}`);
    await service.clock.advance(1_234);
    gate.resolve();
    const { body } = await next();
    assert.equal(
      String(body),
      `{"type":"job_execution","job_id":"${id}","original_job_id":"${id}","status":"success",` +
        `"response_status":201,"duration_ms":1234,"error_message":null,"attempt_number":1,` +
        `"completed_at":"${iso(service.clock.now())}"}`,
    );
  });

  test('a failed job sends one callback, with the id of its last attempt', async () => {
    const { path, url, callback_url, next, sent } = addresses();
    target.answer(`/target${path}`, { status: 503 });
    await setQueue(service, { retrySchedule: [1, 2, 3] }, 'short');
    const { job_id } = await scheduleJob(service, { queue: 'short', url, callback_url });
    for (const [n, seconds] of [1, 2, 3].entries()) {
      await eventually(() => requestsTo(target, `/target${path}`).length === n + 1);
      await service.quiet();
      assert.equal(sent().length, 0);
      await service.clock.advance(seconds * SECOND);
    }
    const { body } = await next();
    const last = (await attemptsOf(service, job_id))[3];
    assert.notEqual(last?.id, job_id);
    assert.partialDeepStrictEqual(JSON.parse(String(body)), {
      job_id: last?.id,
      original_job_id: job_id,
      status: 'dead_lettered',
      response_status: 503,
      error_message: 'HTTP 503 error',
      attempt_number: 4,
    });
    await service.quiet();
    assert.deepEqual(await service.store.callbacks.scanWaiting(), []);
    assert.equal(sent().length, 1, 'one for the job');
  });

  test('the error_message of a callback has the failed assertion', async () => {
    const { url, path, callback_url, next } = addresses();
    target.answer(`/target${path}`, { body: '{"a":"é/"}' });
    const assertions = [{ kind: 'json_path_equals', path: 'a', expected: 'b' } as const];
    await setQueue(service, { assertions }, ONCE);
    await runJob(service, { url, callback_url });
    await setQueue(service, { assertions: [] }, ONCE);
    assert.match(
      String((await next()).body),
      /"error_message":"Assertion failed: JSON path a equals: expected \\"b\\", got \\"\\u00e9\\\/\\"",/,
    );
  });
});

describe('§6.3 cron callback', () => {
  test('a cron sends a callback with exactly these bytes after every execution', async () => {
    const { url, path, callback_url, next } = addresses();
    target.answer(`/target${path}`, [{ status: 500 }, 'reset']);
    for (const end of [
      '"response_status":500,"duration_ms":0,"error_message":null',
      '"response_status":null,"duration_ms":0,"error_message":"Connection error: connection reset"',
    ]) {
      const run = await runCron(service, { url, callback_url });
      assert.equal(
        String((await next()).body),
        `{"type":"cron_execution","cron_id":"${run.cronId}","execution_id":"${run.id}",` +
          `"status":"failed",${end},"completed_at":"${iso(run.completedAt)}"}`,
      );
    }
  });
});

test('a worker failure sends no callback for a job, but one for an execution', async () => {
  await using stopping = await startService(openSqliteTestStore);
  const { url, path, callback_url, sent } = addresses();
  target.answer(`/target${path}`, 'never');
  const id = await postJob(stopping, { url, callback_url });
  const cron = await scheduleCron(stopping, { url, callback_url, is_active: false });
  const run = await stopping.work.runCronNow(stopping.teamId, cron.id);
  await eventually(() => requestsTo(target, `/target${path}`).length === 2);
  const stopped = stopping.engine?.stop(0);
  await stopping.clock.advance(1);
  await stopped;
  const job = await stopping.store.jobs.find(stopping.teamId, id);
  assert.deepEqual([job?.status, job?.reason], ['dead_lettered', 'worker_failed']);
  const cut = await stopping.work.findExecution(stopping.teamId, run?.id ?? '');
  assert.deepEqual([cut?.status, cut?.reason], ['failed', 'worker_failed']);
  const { store, teamId } = stopping;
  const waiting = await store.callbacks.take(await aNode(store), [{ teamId, slots: 10 }]);
  assert.deepEqual(
    waiting.map(({ body }) => (JSON.parse(body) as { execution_id?: string }).execution_id),
    [cut?.id],
  );
  assert.equal(sent().length, 0, 'nothing is sent by a service that has stopped');
});

test('a callback URL that hangs delays neither jobs nor other callbacks', async () => {
  target.answer('/hanging', 'never');
  const hanging = `${target.url}/hanging`;
  await Promise.all(
    Array.from({ length: 20 }, () => runJob(service, { url: target.url, callback_url: hanging })),
  );
  const { callback_url, next } = addresses();
  await runJob(service, { url: target.url, callback_url });
  await next();
  await eventually(() => requestsTo(target, '/hanging').length === 20);
  await service.advance(10 * SECOND);
});

test("a callback to a private address is not sent, and the job's outcome stays (§6.1)", async () => {
  await using service = await startService(openSqliteTestStore, {
    env: { ALLOWED_NETWORKS: '127.0.0.1' },
  });
  await makeOnceQueue(service);
  await using blocked = await startReceiver({ host: '127.0.0.2' });
  // Which addresses are blocked is in src/domain/http/network.test.ts.
  const job = await runJob(service, { url: target.url, callback_url: blocked.url });
  assert.equal(job.status, 'success');
  await service.quiet();
  assert.equal(blocked.requests.length, 0);
  assert.deepEqual(await service.store.callbacks.scanWaiting(), [], 'none is kept');
});

test('a restart loses no pending callback, and one that was being sent is not repeated (§6.1)', async () => {
  await using target = await startReceiver();
  const gate = Promise.withResolvers<void>();
  target.answer('/delayed', { after: gate.promise });
  target.answer('/hanging-callback', 'never');
  // On a busy machine, too, the delayed response comes within the grace period.
  const env = { SHUTDOWN_GRACE_SECONDS: '60' };
  await using first = await startBelfry({ env });
  const made = await makeClient(first);
  const post = async (belfry: BelfryProcess, url: string, callback: string) => {
    const client = clientOf(belfry, made.token);
    await postClientJob(client, { url: target.url + url, callback_url: target.url + callback });
  };
  await post(first, '/delayed', '/callback');
  await target.next(({ url }) => url === '/delayed');
  first.signal('SIGTERM');
  await first.line(/stop\.asked/);
  // The port is closed after every part has begun to stop: from then on no new work is claimed.
  await eventually(() =>
    fetch(`${first.url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
  gate.resolve();
  assert.equal(await first.exited, 0);
  assert.equal(requestsTo(target, '/callback').length, 0, 'not sent by the process that stopped');

  await using second = await first.restart();
  await target.next(({ url }) => url === '/callback');
  await post(second, '/ok', '/hanging-callback');
  await target.next(({ url }) => url === '/hanging-callback');
  await second.kill();

  await using third = await second.restart();
  await post(third, '/ok', '/last');
  await target.next(({ url }) => url === '/last');
  assert.equal(requestsTo(target, '/callback').length, 1);
  assert.equal(requestsTo(target, '/hanging-callback').length, 1);
  assert.equal(requestsTo(target, '/delayed').length, 1);
});
