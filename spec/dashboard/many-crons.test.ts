import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Cron } from '#store/crons/crons';
import { useDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';
import type { Visitor } from '#testing/visitor';

const dashboard = useDashboard({}, { sends: false });

/** A team of its own with three active crons and a paused one. */
async function aTeamWithCrons() {
  const { store } = dashboard.service;
  const user = await dashboard.newTeam();
  const { teamId } = user;
  const crons = [
    await aCron(store, teamId, { name: 'One' }),
    await aCron(store, teamId, { name: 'Two' }),
    await aCron(store, teamId, { name: 'Three' }),
    await aCron(store, teamId, { name: 'Paused', nextRunAt: null }),
  ] as const;
  const visitor = await dashboard.signIn(user);
  const find = async ({ id }: Cron) => store.crons.find(teamId, id);
  return { teamId, crons, visitor, find };
}

/** Sends the form above the table; ids are repeated. */
async function act(
  visitor: Visitor,
  fields: Record<string, string>,
  crons: readonly Cron[] = [],
  query = '',
) {
  const ids = crons.map(({ id }) => ['id', id] as [string, string]);
  const answer = await visitor.post(`/crons${query}`, [...Object.entries(fields), ...ids]);
  return { ...answer, text: answer.text.replaceAll('<!-- -->', '') };
}

describe('many crons at once', () => {
  test('many crons are paused and started, and skipped ones are listed with the reason', async () => {
    const { crons, visitor, find, teamId } = await aTeamWithCrons();
    const [one, two, three, paused] = crons;
    const answer = await act(visitor, { intent: 'all-pause' }, [one, two, paused]);
    assert.match(answer.text, /2 crons are paused\./);
    assert.match(answer.text, /1 cron was skipped:/);
    assert.match(
      answer.text,
      /href="\/crons"[^>]*aria-label="Dismiss"|aria-label="Dismiss"[^>]*href="\/crons"/,
    );
    assert.match(answer.text, /Paused<\/a>: it was paused already/);
    assert.deepEqual(await Promise.all(crons.map(async (cron) => (await find(cron))?.isActive)), [
      false,
      false,
      true,
      false,
    ]);
    await act(visitor, { intent: 'all-start', all: '1' });
    for (const cron of crons) {
      const found = await find(cron);
      assert.equal(found?.isActive, true);
      assert.notEqual(found.nextRunAt, null);
    }
    const activity = await dashboard.service.work.listActivityOf(teamId, three.id);
    assert.deepEqual(activity, [], 'it was active all the time');
    const [started] = await dashboard.service.work.listActivityOf(teamId, one.id);
    assert.equal(started?.action, 'cron.started');
  });

  test('deleting the last cron of a page, or of the team, shows the result', async () => {
    const { store } = dashboard.service;
    const user = await dashboard.newTeam();
    const visitor = await dashboard.signIn(user);
    const crons: Cron[] = [];
    for (let n = 101; n <= 151; n++) crons.push(await aCron(store, user.teamId, { name: `C${n}` }));
    const last = crons.slice(-1);
    const { text } = await visitor.get('/crons');
    const [, onPage2 = ''] = /<a[^>]*rel="next"[^>]*href="\/crons(\?[^"]*)"/.exec(text) ?? [];
    assert.match((await visitor.get(`/crons${onPage2}`)).text, /C151/);
    const second = await act(visitor, { intent: 'all-delete' }, last, onPage2);
    assert.match(second.text, /1 cron is deleted\./);
    assert.match(second.text, /C150/);
    assert.doesNotMatch(second.text, /rel="(?:prev|next)"/, 'the page before is the only one now');
    const all = await act(visitor, { intent: 'all-delete', all: '1' });
    assert.match(all.text, /50 crons are deleted\./);
    assert.match(all.text, /No crons yet/);
  });

  test('bulk actions on crons act on the search results only', async () => {
    const { crons, visitor, find, teamId } = await aTeamWithCrons();
    const [one, two] = crons;
    await act(visitor, { intent: 'all-run' }, [one]);
    const { store } = dashboard.service;
    assert.equal((await store.crons.listExecutions(teamId, one.id, 9)).length, 1);
    assert.equal((await store.crons.listExecutions(teamId, two.id, 9)).length, 0);
    const answer = await act(visitor, { intent: 'all-delete', all: '1' }, [], '?q=One');
    assert.match(answer.text, /1 cron is deleted\./);
    assert.equal(await find(one), null);
    assert.notEqual(await find(two), null);
    const unread = await act(visitor, { intent: 'all-delete', all: '1' }, [], '?status=odd');
    assert.equal(unread.status, 302, 'a filter that can’t be read reaches nothing');
    assert.notEqual(await find(two), null);
  });

  test('the page of a muted cron unmutes it, but not if a window mutes the whole team', async () => {
    const { crons, visitor, teamId } = await aTeamWithCrons();
    const { work } = dashboard.service;
    const [one, two] = crons;
    const at = Date.now();
    const window = { name: 'Deploy', startsAt: at - 1000, endsAt: at + 3_600_000, isWeekly: false };
    const covers = [one, two].map(({ id }) => ({ kind: 'cron' as const, id }));
    await work.createWindow(teamId, { ...window, covers });
    assert.match((await visitor.get(`/crons/${one.id}`)).text, /Unmute/);
    await visitor.post(`/crons/${one.id}`, { intent: 'unmute' });
    const [left] = await work.listWindows(teamId);
    assert.deepEqual(left?.covers, [{ kind: 'cron', id: two.id }]);
    const [activity] = await work.listActivityOf(teamId, one.id);
    assert.equal(activity?.action, 'cron.unmuted');
    await work.startMaintenanceNow(teamId, 'team');
    const refused = await work.unmuteCron(teamId, two.id);
    assert.match(refused.kind === 'unchanged' ? refused.why : '', /mutes more than chosen crons/);
    assert.equal((await work.listWindows(teamId)).length, 2);
    assert.doesNotMatch((await visitor.get(`/crons/${two.id}`)).text, /Unmute/);
  });
});
