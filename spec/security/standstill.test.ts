import assert from 'node:assert/strict';
import { test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startBelfry } from '#testing/process';
import { makeGate } from '#testing/scheduling';
import { startReceiver } from '#testing/receiver';
import { type Client, makeClient, postJob, setQueue, untilEnded } from '#testing/remote';

/** The process stops for some time (a frozen machine, a blocked event loop). Its targets must not fail for that (§2.7). */

const belfry = useStarted(startBelfry);
const target = useStarted(startReceiver);
let client: Client;

before(async () => {
  client = await makeClient(belfry);
  const asserted = ['--assert', '[{"kind":"response_time_under","ms":1900}]'];
  await setQueue(belfry, 'short', '--timeout', '2', '--retries', 'off', ...asserted);
});

interface Ended {
  status: string;
  reason: string | null;
  error_message: string | null;
  duration_ms: number;
}

/** Longer than the job's timeout. */
const STANDSTILL_MS = 2_500;

/** Sends a job to the path, lets the process stand still, and tells what came of it. */
async function standStillAmid(
  path: string,
  meanwhile: () => void,
  standstillMs = STANDSTILL_MS,
): Promise<Ended> {
  const id = await postJob(client, { queue: 'short', url: target.url + path });
  await target.next(({ url }) => url === path);
  belfry.signal('SIGSTOP');
  meanwhile();
  await delay(standstillMs);
  belfry.signal('SIGCONT');
  await untilEnded(belfry, [id]);
  return (await belfry.cli('job', 'show', '--id', id)).json as Ended;
}

test('a response that arrived while the process was blocked is in time', async () => {
  const gate = makeGate();
  target.answer('/meanwhile', { after: gate.opened });
  const job = await standStillAmid('/meanwhile', gate.open);
  assert.deepEqual([job.status, job.reason, job.error_message], ['success', null, null]);
  assert.ok(job.duration_ms < 1_900, `${job.duration_ms}`);
});

test('the time for which the process was blocked does not count toward a timeout', async () => {
  const gate = makeGate();
  target.answer('/later', { after: gate.opened });
  const job = await standStillAmid('/later', () => setTimeout(gate.open, 2_900));
  assert.deepEqual([job.status, job.reason, job.error_message], ['success', null, null]);
});

test('a silent target times out after the process was blocked', async () => {
  target.answer('/never', 'never');
  const job = await standStillAmid('/never', () => {}, 3 * STANDSTILL_MS);
  assert.deepEqual(
    [job.status, job.reason, job.error_message],
    ['dead_lettered', 'timeout', 'Request timed out after 2 seconds'],
  );
  assert.ok(job.duration_ms >= 1_990 && job.duration_ms < 3 * STANDSTILL_MS, `${job.duration_ms}`);
});
