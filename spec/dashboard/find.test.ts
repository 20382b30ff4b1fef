import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '#domain/ids';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { fillExecutions, fillJobs } from '#testing/fill';
import type { Visitor } from '#testing/visitor';

/** What Ctrl-K asks the server: crons, queues and what can be done with them by name, anything by its id. */

let dashboard: TestDashboard;
let user: TestUser;
let visitor: Visitor;

before(async () => {
  dashboard = await startDashboard({}, { sends: false });
  user = await dashboard.user('ada@bells.test');
  visitor = await dashboard.signIn(user);
});
after(() => dashboard[Symbol.asyncDispose]());

type Found = { name: string; to: string; hint?: string; post?: Record<string, string> };

async function find(typed: string, as = visitor): Promise<Found[]> {
  const { status, text } = await as.get(`/find?q=${encodeURIComponent(typed)}`);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { entries: Found[] }).entries;
}

const aCron = (teamId: string, name: string, isActive = true) =>
  dashboard.service.work.createCron(teamId, {
    name,
    url: 'http://target.example/hook',
    method: 'GET',
    headers: [],
    callbackUrl: null,
    cronExpression: '0 0 29 2 *',
    payload: null,
    timeoutSeconds: 20,
    alertThreshold: null,
    isActive,
  });

describe('what Ctrl-K finds on the server', () => {
  test('is every id that the API answers or a callback carries, in either case', async () => {
    const { work, store } = dashboard.service;
    const cron = await aCron(user.teamId, 'Close the month');
    const { jobId, queueId } = await work.createJob(user.teamId, {
      queue: 'invoices',
      url: 'http://target.example/',
      method: 'POST',
      headers: [],
      payloadJson: null,
      callbackUrl: null,
      delaySeconds: 3600,
    });
    const [retryId = ''] = await fillJobs(store, [
      { team_id: user.teamId, queue_id: queueId, attempt_number: 2 },
    ]);
    const [runId = ''] = await fillExecutions(store, [{ team_id: user.teamId, cron_id: cron.id }]);
    const places: [string, string, string][] = [
      [cron.id, `/crons/${cron.id}`, 'Cron'],
      [queueId, `/queues/${queueId}`, 'Queue'],
      [jobId, `/jobs/${jobId}`, 'Job'],
      [retryId, `/jobs/${retryId}`, 'Job'],
      [runId, `/executions/${runId}`, 'Run'],
    ];
    for (const [id, to, hint] of places) {
      for (const typed of [id, ` ${id.toUpperCase()} `]) {
        const [first] = await find(typed);
        assert.deepEqual([first?.to, first?.hint], [to, hint]);
      }
      assert.equal((await visitor.get(to)).status, 200);
    }
    assert.deepEqual(await find(newId(Date.now())), []);
  });

  test('is what another of your teams has, with its name, and nothing of a team of others', async () => {
    const cron = await aCron(user.teamId, 'Of the bells');
    const stranger = await dashboard.user('mallory@other.test', { team: 'Other' });
    const theirs = await dashboard.signIn(stranger);
    assert.deepEqual(await find(cron.id, theirs), []);
    assert.deepEqual(await find('Of the bells', theirs), []);
    await visitor.post('/teams/new', { name: 'Second' });
    const entries = await find(cron.id);
    assert.deepEqual(entries, [
      { name: 'Of the bells', to: `/crons/${cron.id}`, hint: 'Cron of team Bells', isFound: true },
    ]);
    await visitor.post('/teams/switch', { teamId: user.teamId });
  });

  test('is a cron or queue by all words of its name, with what can be done by one click', async () => {
    const cron = await aCron(user.teamId, 'Nightly backup of photos');
    const paused = await aCron(user.teamId, 'Nightly report', false);
    const entries = await find('photos night');
    assert.deepEqual(
      entries.map(({ name, post }) => [name, post?.['intent']]),
      [
        ['Nightly backup of photos', undefined],
        ['Run Nightly backup of photos now', 'run'],
        ['Pause Nightly backup of photos', 'pause'],
        ['Edit Nightly backup of photos', undefined],
      ],
    );
    const started = (await find('start nightly rep')).find(
      ({ post }) => post?.['intent'] === 'start',
    );
    assert.equal(started?.to, `/crons/${paused.id}`);
    await visitor.post(started.to, { ...started.post });
    assert.equal((await dashboard.service.work.findCron(user.teamId, paused.id))?.isActive, true);
    assert.equal((await dashboard.service.work.findCron(user.teamId, cron.id))?.isActive, true);
    const queue = await dashboard.service.work.setQueue(user.teamId, 'thumbnails', {});
    const names = async () => (await find('THUMB')).map(({ name }) => name);
    assert.ok((await names()).includes('Create job in thumbnails'));
    await dashboard.service.work.pauseQueue(user.teamId, queue.id);
    assert.deepEqual(await names(), ['thumbnails', 'Enable thumbnails', 'Edit thumbnails']);
  });

  test('is nothing for nothing, and nothing that deletes', async () => {
    assert.deepEqual(await find('  '), []);
    await aCron(user.teamId, 'delete me');
    for (const typed of ['delete', 'delete me']) {
      const entries = await find(typed);
      assert.equal(entries[0]?.name, 'delete me');
      assert.ok(entries.every(({ post }) => post?.['intent'] !== 'delete'));
    }
  });

  test('is told to nobody who is not signed in', async () => {
    const answer = await dashboard.visitor().get('/find?q=nightly');
    assert.equal(answer.status, 302);
    assert.match(answer.headers.get('Location') ?? '', /^\/login/);
  });
});
