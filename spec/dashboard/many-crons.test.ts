import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HeaderList } from '#domain/exchange';
import type { Cron } from '#store/crons/crons';
import { startDashboard, type TestDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';
import type { Visitor } from '#testing/visitor';

let dashboard: TestDashboard;
let teams = 0;

before(async () => {
  dashboard = await startDashboard({}, { sends: false });
});
after(() => dashboard[Symbol.asyncDispose]());

/** A team of its own with three active crons and a paused one. */
async function aTeamWithCrons() {
  const { store } = dashboard.service;
  const team = `Team ${++teams}`;
  const user = await dashboard.user(`ada@team-${teams}.test`, { team });
  const { teamId } = user;
  const make = (name: string, headers: HeaderList = []) => aCron(store, teamId, { name, headers });
  const crons = [
    await make('One', [
      ['Authorization', 'old'],
      ['X-Kept', '1'],
    ]),
    await make('Two', [['authorization', 'hunter2']]),
    await make('Three'),
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
  test('are paused and started, and it is told what was left alone and why', async () => {
    const { crons, visitor, find, teamId } = await aTeamWithCrons();
    const [one, two, three, paused] = crons;
    const answer = await act(visitor, { intent: 'all-pause' }, [one, two, paused]);
    assert.match(answer.text, /2 crons are paused\./);
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
    const told = await dashboard.service.work.listActivityOf(teamId, three.id);
    assert.deepEqual(told, [], 'it was active all the time');
    const [started] = await dashboard.service.work.listActivityOf(teamId, one.id);
    assert.equal(started?.action, 'cron.started');
  });

  test('get one header, only where it is set or everywhere', async () => {
    const { crons, visitor, find } = await aTeamWithCrons();
    const [one, two, three] = crons;
    const asked = await act(visitor, { intent: 'all-header' }, [one, two, three]);
    assert.match(asked.text, /Set a header in 3 crons/);
    assert.ok(!asked.text.includes('hunter2'));
    const fields = { intent: 'all-set-header', header_name: 'Authorization', header_value: 'new' };
    const answer = await act(visitor, { ...fields, only_where_set: '1' }, [one, two, three]);
    assert.match(answer.text, /2 crons have the header\./);
    assert.match(answer.text, /Three<\/a>: it has no header Authorization/);
    assert.deepEqual((await find(one))?.headers, [
      ['Authorization', 'new'],
      ['X-Kept', '1'],
    ]);
    assert.deepEqual((await find(two))?.headers, [['Authorization', 'new']]);
    assert.deepEqual((await find(three))?.headers, []);
    await act(visitor, { ...fields, only_where_set: '0' }, [three]);
    assert.deepEqual((await find(three))?.headers, [['Authorization', 'new']]);
  });

  test('get no header that may not be sent, and nothing typed is lost', async () => {
    const { crons, visitor, find } = await aTeamWithCrons();
    const [one] = crons;
    const before = await find(one);
    for (const [name, text] of [
      ['Content-Length', /must not set Content-Length/],
      ['a b', /name/],
      ['', /A name is required/],
    ] as const) {
      const fields = { header_name: name, header_value: 'kept-value', only_where_set: '0' };
      const answer = await act(visitor, { intent: 'all-set-header', ...fields }, [one]);
      assert.equal(answer.status, 422);
      assert.match(answer.text, text);
      assert.match(answer.text, /kept-value/);
    }
    assert.deepEqual(await find(one), before);
  });

  test('are run and deleted: what matches the search, and nothing else', async () => {
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

  test('get a tag and lose one; what they have beside it stays', async () => {
    const { crons, visitor, find, teamId } = await aTeamWithCrons();
    const [one, two, three] = crons;
    const { store } = dashboard.service;
    await store.crons.setTags(teamId, one.id, () => ['eu']);
    await store.crons.setTags(teamId, two.id, () => ['billing']);
    await store.crons.setTags(teamId, three.id, () => Array.from('abcdefghij'));
    const asked = await act(visitor, { intent: 'all-add-tag' }, [one, two, three]);
    assert.match(asked.text, /Add a tag to 3 crons/);
    const wrong = await act(visitor, { intent: 'all-set-added-tag', tag: 'two words' }, [one]);
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /can be no tag/);
    const tag = { tag: 'Billing' };
    const added = await act(visitor, { intent: 'all-set-added-tag', ...tag }, [one, two, three]);
    assert.match(added.text, /1 cron has the tag now\./);
    assert.match(added.text, /Two<\/a>: it had the tag already/);
    assert.match(added.text, /Three<\/a>: it has 10 tags already/);
    assert.deepEqual((await find(one))?.tags, ['billing', 'eu']);
    const fields = { intent: 'all-set-removed-tag', all: '1', ...tag };
    const removed = await act(visitor, fields, [], '?tag=billing');
    assert.match(removed.text, /2 crons have the tag no more\./);
    assert.deepEqual((await find(one))?.tags, ['eu']);
    assert.deepEqual((await find(two))?.tags, []);
    const [told] = await dashboard.service.work.listActivityOf(teamId, two.id);
    assert.deepEqual([told?.action, told?.detail], ['cron.edited', 'tags']);
  });

  test('are muted by one window, and unmuted one by one', async () => {
    const { crons, visitor, teamId } = await aTeamWithCrons();
    const [one, two, three] = crons;
    const { work } = dashboard.service;
    const asked = await act(visitor, { intent: 'all-mute' }, [one, two]);
    assert.match(asked.text, /Mute 2 crons/);
    const mute = { intent: 'all-set-mute', hours: '8' };
    assert.equal((await act(visitor, { ...mute, hours: '7' }, [one])).status, 422);
    assert.match((await act(visitor, mute, [one, two])).text, /2 crons are muted/);
    const again = await act(visitor, mute, [one, three]);
    assert.match(again.text, /1 cron is muted/);
    assert.match(again.text, /One<\/a>: it is muted for as long or longer/);
    assert.equal((await work.listWindows(teamId)).length, 2);
    const [told] = await work.listActivityOf(teamId, one.id);
    assert.equal(told?.action, 'cron.muted');

    const page = await visitor.get(`/crons/${one.id}`);
    assert.match(page.text, /Unmute/);
    await visitor.post(`/crons/${one.id}`, { intent: 'unmute' });
    const covered = async () =>
      (await work.listWindows(teamId)).flatMap(({ covers }) =>
        covers === 'team' ? [] : covers.map(({ id }) => id),
      );
    assert.deepEqual((await covered()).toSorted(), [two.id, three.id].toSorted());
    const unmuted = await act(visitor, { intent: 'all-unmute' }, [one, two, three]);
    assert.match(unmuted.text, /2 crons are muted no more\./);
    assert.match(unmuted.text, /One<\/a>: it was not muted/);
    assert.deepEqual(await work.listWindows(teamId), []);
  });

  test('stay muted by a window of the whole team', async () => {
    const { crons, visitor, teamId } = await aTeamWithCrons();
    const { work } = dashboard.service;
    await work.startMaintenanceNow(teamId, 'team');
    const answer = await act(visitor, { intent: 'all-unmute' }, [crons[0]]);
    assert.match(answer.text, /mutes more than chosen crons/);
    assert.equal((await work.listWindows(teamId)).length, 1);
    assert.doesNotMatch((await visitor.get(`/crons/${crons[0].id}`)).text, /Unmute/);
  });

  test('of another team are not reached', async () => {
    const [ours, theirs] = [await aTeamWithCrons(), await aTeamWithCrons()];
    const answer = await act(ours.visitor, { intent: 'all-pause' }, [theirs.crons[0]]);
    assert.match(answer.text, /0 crons are paused/);
    assert.equal((await theirs.find(theirs.crons[0]))?.isActive, true);
    const none = await act(ours.visitor, { intent: 'all-pause' });
    assert.equal(none.status, 302);
  });
});
