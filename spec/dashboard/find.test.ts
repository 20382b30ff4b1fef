import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { before } from '#testing/hooks';
import { A_CRON, A_JOB } from '#testing/factories';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { findPalettePages, settingsPages } from '#dashboard/palette/places';
import { fillExecutions, fillJobs } from '#testing/fill';
import type { Visitor } from '#testing/visitor';

/** What Ctrl-K offers: pages by role, crons and queues of the current team by name, anything in it by its id. */

let user: TestUser;
let visitor: Visitor;

const dashboard = useDashboard({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test');
  visitor = await dashboard.signIn(user);
});

type Found = { name: string; to: string; hint?: string };

async function find(typed: string, as = visitor): Promise<Found[]> {
  const { status, text } = await as.get(`/find?q=${encodeURIComponent(typed)}`);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { entries: Found[] }).entries;
}

const aCron = (teamId: string, name: string, isActive = true) =>
  dashboard.service.work.createCron(teamId, {
    ...A_CRON,
    name,
    url: 'http://target.example/hook',
    method: 'GET',
    isActive,
  });

describe('Ctrl-K: search on the server', () => {
  test('Ctrl-K finds every id of the API and callbacks, in any case', async () => {
    const { work, store } = dashboard.service;
    const cron = await aCron(user.teamId, 'Close the month');
    const { jobId, queueId } = await work.createJob(user.teamId, {
      ...A_JOB,
      queue: 'invoices',
      url: 'http://target.example/',
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
    for (const id of [jobId, retryId, runId]) {
      const [first] = await find(id.slice(-8));
      assert.ok(first?.to.endsWith(id), 'by its end, as pages show it');
    }
    assert.deepEqual(await find(newId(Date.now())), []);
  });

  test('Ctrl-K finds no items of another team', async () => {
    const cron = await aCron(user.teamId, 'Of the bells');
    const outsider = await dashboard.user('mallory@other.test', { team: 'Other' });
    const theirs = await dashboard.signIn(outsider);
    assert.deepEqual(await find(cron.id, theirs), []);
    assert.deepEqual(await find('Of the bells', theirs), []);
    await visitor.post('/teams/new', { name: 'Second' });
    assert.deepEqual(await find(cron.id), []);
    await visitor.post('/teams/switch', { teamId: user.teamId });
  });

  test('Ctrl-K finds crons and queues by all words of their names', async () => {
    const cron = await aCron(user.teamId, 'Nightly backup of photos');
    await aCron(user.teamId, 'Nightly report', false);
    assert.deepEqual(await find('photos night'), [
      { name: 'Nightly backup of photos', to: `/crons/${cron.id}`, hint: 'Cron', isFound: true },
    ]);
    await dashboard.service.work.setQueue(user.teamId, 'thumbnails', {});
    assert.deepEqual(
      (await find('THUMB')).map(({ name, hint }) => [name, hint]),
      [['thumbnails', 'Queue']],
    );
    assert.deepEqual(await find('  '), []);
  });

  test('Ctrl-K answers signed-in users only', async () => {
    const answer = await dashboard.visitor().get('/find?q=nightly');
    assert.equal(answer.status, 302);
    assert.match(answer.headers.get('Location') ?? '', /^\/login/);
  });
});

describe('Ctrl-K: pages', () => {
  for (const role of ['owner', 'admin', 'member', 'viewer'] as const) {
    test(`every page that Ctrl-K offers opens for the role ${role}`, async () => {
      const person = role === 'owner' ? user : await dashboard.user(`${role}@bells.test`, { role });
      const their = await dashboard.signIn(person);
      for (const { to } of findPalettePages(role)) {
        assert.equal((await their.get(to)).status, 200, to);
      }
      const tabs = (await their.get('/settings/profile')).text;
      for (const { to } of settingsPages) {
        const isOffered = findPalettePages(role).some((page) => page.to === to);
        assert.equal(tabs.includes(`href="${to}"`), isOffered, `${to} in the tabs of Settings`);
        if (!isOffered) assert.equal((await their.get(to)).status, 403, to);
      }
    });
  }
});
