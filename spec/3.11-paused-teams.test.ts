/** §3.11: one switch over everything of a team, beside the switches of its crons and queues. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  attemptsOf,
  makeGate,
  MINUTE,
  scheduleCron,
  scheduleJob,
  SECOND,
  setQueue,
  statusesOf,
  startSecondEngine,
} from '#testing/scheduling';
import { useScenes } from '#testing/scenes';
import { openPostgresTestStore, openSqliteTestStore } from '#testing/stores';

const urlsOf = (receiver: { requests: readonly { url: string }[] }) =>
  receiver.requests.map(({ url }) => url).toSorted();

const start = useScenes(openSqliteTestStore);
const startOnPostgres = useScenes(openPostgresTestStore);
describe('a paused team', () => {
  test('a paused team sends no job and runs no cron; accepted jobs wait', async () => {
    const { service, receiver } = await start();
    const { work, teamId } = service;
    const early = await scheduleJob(service, { url: receiver.url, delay: 5 });
    await scheduleCron(service, { url: receiver.url });
    assert.equal(await work.pauseTeam(teamId, 'Ada'), true);
    const late = await scheduleJob(service, { url: receiver.url, queue: 'new' });
    const made = await scheduleCron(service, { url: receiver.url });
    const startedAt = service.clock.now();
    await service.advance(5 * MINUTE);
    assert.equal(receiver.requests.length, 0);
    const [first] = await attemptsOf(service, early.job_id);
    const [second] = await attemptsOf(service, late.job_id);
    assert.deepEqual([first?.status, first?.scheduledAt], ['pending', startedAt + 5000]);
    assert.deepEqual([second?.status, second?.scheduledAt], ['pending', startedAt]);
    assert.equal((await work.findCron(teamId, made.id))?.isActive, true);
    assert.deepEqual(await work.readTeamPause(teamId), { at: startedAt, by: 'Ada', until: null });
  });

  test('a resumed team sends due jobs at once; missed times of crons are not made up for', async () => {
    const { service, receiver, sent } = await start();
    const { work, teamId } = service;
    const { id } = await scheduleCron(service, { url: `${receiver.url}/cron` });
    const hourly = await scheduleCron(service, { url: receiver.url, cron_expression: '@hourly' });
    const ended = await scheduleCron(service, { url: `${receiver.url}/ended` });
    const end = { endsAt: service.clock.now() + 2 * MINUTE, maxRuns: null };
    await work.editCron(teamId, ended.id, { end });
    const planned = (await work.findCron(teamId, hourly.id))?.nextRunAt;
    await setQueue(service, { concurrencyLimit: 1 });
    await scheduleJob(service, { url: `${receiver.url}/limited`, delay: 60 });
    await scheduleJob(service, { url: `${receiver.url}/free`, queue: 'free', delay: 60 });
    await work.pauseTeam(teamId, 'Ada');
    await service.advance(5 * MINUTE + 10 * SECOND);
    assert.equal(await work.resumeTeam(teamId), true);
    await sent(2);
    assert.deepEqual(urlsOf(receiver), ['/free', '/limited']);
    assert.equal(await work.readTeamPause(teamId), null);
    const next = (await work.findCron(teamId, id))?.nextRunAt ?? 0;
    assert.equal(next - service.clock.now(), 50 * SECOND);
    assert.equal((await work.findCron(teamId, hourly.id))?.nextRunAt, planned);
    assert.equal((await work.findCron(teamId, ended.id))?.nextRunAt, null);
    await service.advance(50 * SECOND);
    await sent(3);
    assert.deepEqual(urlsOf(receiver), ['/cron', '/free', '/limited']);
  });

  test('running attempts of a paused team finish, their retries wait, and Run now works', async () => {
    const gate = makeGate();
    const { service, receiver, sent } = await start({
      answer: { status: 500, after: gate.opened },
    });
    const { work, teamId } = service;
    const { job_id } = await scheduleJob(service, { url: receiver.url });
    const cron = await scheduleCron(service, { url: `${receiver.url}/now` });
    await receiver.waitFor(1);
    await work.pauseTeam(teamId, 'Ada');
    gate.open();
    await service.quiet();
    await work.runCronNow(teamId, cron.id);
    await sent(2);
    await service.advance(2 * MINUTE);
    assert.deepEqual(urlsOf(receiver), ['/', '/now']);
    assert.deepEqual(await statusesOf(service, job_id), ['retried', 'pending']);
  });

  test('a team is paused and resumed once, by the first request; other teams continue', async () => {
    const { service, receiver } = await start();
    const { work, teamId, store } = service;
    const others = await store.teams.create('Others', 'free', store.clock.now());
    assert.equal(await work.pauseTeam(others.id, 'Bob'), true);
    assert.equal(await work.pauseTeam(others.id, 'Ada'), false);
    assert.equal((await work.readTeamPause(others.id))?.by, 'Bob');
    assert.equal(await work.readTeamPause(teamId), null);
    await scheduleJob(service, { url: receiver.url });
    await receiver.waitFor(1);
    assert.equal(await work.resumeTeam(others.id), true);
    assert.equal(await work.resumeTeam(others.id), false);
  });
});

test('a team is paused on every node', async () => {
  const { service, receiver } = await startOnPostgres();
  await using _other = await startSecondEngine(service);
  const { work, teamId } = service;
  await work.pauseTeam(teamId, 'Ada');
  for (let n = 0; n < 5; n++) await scheduleJob(service, { url: receiver.url });
  await scheduleCron(service, { url: receiver.url });
  await service.advance(3 * MINUTE);
  assert.equal(receiver.requests.length, 0);
  await work.resumeTeam(teamId);
  await receiver.waitFor(5);
});
