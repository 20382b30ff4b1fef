import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';
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

    await visitor.post('/?index', { intent: 'resume-team' });
    assert.doesNotMatch(await textOf(visitor, '/jobs'), BANNER);
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

  test('pausing everything affects one team and is not offered to viewers', async () => {
    const user = await dashboard.user('bob@others.test', { team: 'Others' });
    const viewer = await dashboard.user('eve@others.test', { team: 'Others', role: 'viewer' });
    const visitor = await dashboard.signIn(viewer);
    const refused = await visitor.post('/?index', { intent: 'pause-team' });
    assert.equal(refused.status, 403);
    const { work } = dashboard.service;
    assert.equal(await work.readTeamPause(user.teamId), null);
    await work.pauseTeam(user.teamId, 'Bob');
    const text = await textOf(visitor, '/');
    assert.match(text, BANNER);
    assert.doesNotMatch(text, /Resume everything of this team\?/);
  });
});
