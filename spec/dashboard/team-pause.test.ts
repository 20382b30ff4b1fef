import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDashboard } from '#testing/dashboard';
import { aCron, aQueue } from '#testing/factories';
import { PlainPage } from '#testing/plain-page';
import type { Visitor } from '#testing/visitor';

/** The switch over everything of a team (§3.11), without scripts. */

const dashboard = useDashboard({}, { sends: false });

const textOf = async (visitor: Visitor, path: string) =>
  (await visitor.get(path)).text.replaceAll('<!-- -->', '');
const BANNER = /Everything of this team is paused/;

describe('pausing everything', () => {
  test('pausing everything asks first, and every page shows who paused it and when', async () => {
    const user = await dashboard.user('ada@pause.test', { team: 'Pause' });
    const visitor = await dashboard.signIn(user);
    const { work, store } = dashboard.service;
    const cron = await aCron(store, user.teamId, { cronExpression: '* * * * *' });
    const before = await textOf(visitor, '/');
    assert.match(before, /Pause everything of this team\?/);
    assert.doesNotMatch(before, BANNER);
    const { status, headers } = await visitor.post('/?index', { intent: 'pause-team' });
    assert.deepEqual([status, headers.get('location')], [302, '/']);
    assert.notEqual(await work.readTeamPause(user.teamId), null);
    for (const path of ['/', '/crons', '/queues', '/jobs', '/settings/team']) {
      const text = await textOf(visitor, path);
      assert.match(text, BANNER, path);
      assert.match(text, /By ada, since <time/, path);
    }
    const page = await textOf(visitor, `/crons/${cron.id}`);
    assert.match(page, /No runs while the team is paused\./);
    const overview = await textOf(visitor, '/');
    assert.doesNotMatch(overview, /Pause everything of this team\?/);
    assert.match(overview, /Resume everything of this team\?/);

    const form = await PlainPage.open(visitor, '/jobs/new?queue=mail');
    await form.press('Resume everything');
    assert.equal(form.path, '/jobs/new?queue=mail');
    assert.doesNotMatch(form.html, BANNER);
    assert.equal(await work.readTeamPause(user.teamId), null);
    const activity = await work.listActivity(user.teamId, {
      area: 'team',
      withAccess: true,
      limit: 9,
    });
    assert.deepEqual(
      activity.map(({ action }) => action),
      ['team.resumed', 'team.paused'],
    );
  });

  test('a pause until a time shows its end on every page; a time in the past is refused', async () => {
    const user = await dashboard.user('cleo@until.test', { team: 'Until' });
    const visitor = await dashboard.signIn(user);
    const { work, store } = dashboard.service;
    const cron = await aCron(store, user.teamId);
    const queue = await aQueue(store, user.teamId);
    const past = { until: '2020-01-01T10:00' };
    const future = { until: '2099-12-31T18:00' };
    const pages = [`/crons/${cron.id}`, `/queues/${queue.id}`] as const;
    for (const page of pages) {
      assert.match(await textOf(visitor, page), /Pause until/);
      await visitor.post(page, { intent: 'pause', ...past });
    }
    await visitor.post('/?index', { intent: 'pause-team', ...past });
    assert.equal(await work.readTeamPause(user.teamId), null);
    assert.equal((await work.findCron(user.teamId, cron.id))?.isActive, true);
    assert.equal((await work.findQueue(user.teamId, queue.id))?.isPaused, false);

    for (const page of pages) await visitor.post(page, { intent: 'pause', ...future });
    for (const page of [...pages, '/crons', '/queues'])
      assert.match(await textOf(visitor, page), /until <time dateTime="2099-12-31T18:00/, page);
    await visitor.post('/?index', { intent: 'pause-team', ...future });
    assert.match(await textOf(visitor, '/jobs'), /, until <time dateTime="2099-12-31T18:00/);
    const entries = await work.listActivity(user.teamId, { withAccess: true, limit: 3 });
    assert.deepEqual(
      entries.map(({ action, detail }) => [action, detail]),
      ['team.paused', 'queue.paused', 'cron.paused'].map((action) => [
        action,
        'until 2099-12-31 18:00 UTC',
      ]),
    );
    await visitor.post(pages[0], { intent: 'start' });
    assert.doesNotMatch(await textOf(visitor, pages[0]), /No runs until/);
  });
});
