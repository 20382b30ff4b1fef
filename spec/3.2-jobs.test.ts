/** §3.2: a job's states and what moves it from one to the next; §3.3, §3.6. What the queue decides is in 2.3-queues. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attemptsOf, MINUTE, scheduleJob, setQueue, statusesOf } from '#testing/scheduling';
import { type StartScene, useScenes } from '#testing/scenes';
import { openSqliteTestStore } from '#testing/stores';

const start = useScenes(openSqliteTestStore);
describe('Pending → attempt', () => declareStart(start));
describe('Pending → Fire now', () => declareFire(start));
describe('Pending → Delete', () => declareDelete(start));

function declareStart(start: StartScene) {
  test('an attempt starts at its scheduled time and never before', async () => {
    const { service, receiver, sent } = await start();
    const { job_id } = await scheduleJob(service, { url: receiver.url, delay: 30 });
    await service.advance(29_999);
    assert.equal(receiver.requests.length, 0);
    await service.advance(1);
    await sent(1);
    const [job] = await attemptsOf(service, job_id);
    assert.equal(job?.startedAt, job?.scheduledAt);
  });
}

function declareFire(start: StartScene) {
  test('Fire now runs a waiting job at once, and only once', async () => {
    const { service, receiver, sent } = await start();
    const { job_id } = await scheduleJob(service, { url: receiver.url, delay: 600 });
    const outcome = await service.work.fireJob(service.teamId, job_id);
    assert.deepEqual(outcome, { kind: 'done' });
    await sent(1);
    await service.advance(11 * MINUTE);
    assert.equal(receiver.requests.length, 1, 'its own time does not send it again');
    assert.deepEqual(await statusesOf(service, job_id), ['success']);
  });

  test('Fire now runs a waiting retry at once (§3.3)', async () => {
    const { service, receiver, sent } = await start({ answer: { status: 500 } });
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    await sent(1);
    const [, retry] = await attemptsOf(service, job_id);
    assert.deepEqual(await service.work.fireJob(service.teamId, retry?.id ?? ''), { kind: 'done' });
    await sent(2);
    assert.deepEqual(await statusesOf(service, job_id), ['retried', 'retried', 'pending']);
  });
}

function declareDelete(start: StartScene) {
  test("a failed job can be deleted with its response, a completed one can't", async () => {
    const { service, receiver, sent } = await start({ answer: { body: 'kept' } });
    await setQueue(service, { retriesEnabled: false });
    receiver.answer('/bad', { status: 400, body: 'no' });
    const good = await scheduleJob(service, { url: `${receiver.url}/good` });
    const bad = await scheduleJob(service, { url: `${receiver.url}/bad` });
    await sent(2);
    const { work, teamId } = service;
    assert.deepEqual(await work.deleteJob(teamId, good.job_id), { kind: 'not-deletable' });
    assert.deepEqual(await work.deleteJob(teamId, bad.job_id), { kind: 'done' });
    const bodies = await work.readResponseBodies(teamId, [good.job_id, bad.job_id]);
    assert.deepEqual([...bodies.keys()], [good.job_id]);
    assert.equal(await work.findJob(teamId, bad.job_id), null);
  });
}
