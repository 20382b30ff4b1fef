import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { startProvider, type TestProvider } from '#testing/provider';
import type { Visitor } from '#testing/visitor';

/** §5.7: members who come and go by the groups of the provider, or of a proxy in front. */

const ENV = { SIGN_UP: 'invite' };
const VIEWER_MARK = /View only/;

let provider: TestProvider;
let dashboard: TestDashboard;
let owner: TestUser;
let boss: Visitor;

before(async () => {
  provider = await startProvider();
  dashboard = await startDashboard({ ...provider.env, ...ENV }, { sends: false });
  provider.expect(dashboard.url);
  owner = await dashboard.user('owner@bells.test');
  boss = await dashboard.signIn(owner);
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const somebody = (name: string, groups?: unknown) => ({
  sub: name,
  email: `${name}@bells.test`,
  email_verified: true,
  name,
  ...(groups !== undefined && { groups }),
});

/** Signs in at the provider as whoever it has in front of it. @returns the answer's status */
async function signIn(visitor: Visitor): Promise<number> {
  const { headers } = await visitor.get('/login/provider');
  const back = new URL(await provider.visit(headers.get('Location') ?? ''));
  return (await visitor.get(back.pathname + back.search)).status;
}

const setGroup = (visitor: Visitor, group: string, role: string) =>
  visitor.post('/settings/members', { intent: 'set-group', group, role });

const removeGroup = (visitor: Visitor, group: string) =>
  visitor.post('/settings/members', { intent: 'remove-group', group });

async function roleOf(email: string, of: TestDashboard = dashboard): Promise<string | null> {
  const [{ teamId } = { teamId: '' }] = await of.service.people.operator.listTeams();
  const members = await of.service.store.members.list(teamId);
  return members.find((member) => member.email === email)?.role ?? null;
}

describe('groups of the provider', () => {
  test('let people into the team, in a role, as long as they are in the group', async () => {
    assert.equal((await setGroup(boss, ' ops ', 'viewer')).status, 302);
    const page = await boss.get('/settings/members');
    assert.match(page.text, /Who is in ops comes in as viewer/);
    provider.person = somebody('ada', ['staff', 'ops']);
    const ada = dashboard.visitor();
    assert.equal(await signIn(ada), 302, 'without an invitation');
    assert.match((await ada.get('/')).text, VIEWER_MARK);
    assert.match((await boss.get('/settings/members')).text, /by the group ops/);

    assert.equal((await setGroup(boss, 'ops', 'member')).status, 302);
    assert.doesNotMatch((await ada.get('/')).text, VIEWER_MARK, 'at once');
    assert.equal((await setGroup(boss, 'leads', 'admin')).status, 302);
    provider.person = somebody('ada', ['leads', 'ops']);
    await signIn(ada);
    assert.equal((await ada.get('/settings/members')).status, 200);

    provider.person = somebody('ada', ['staff']);
    await signIn(ada);
    assert.equal(await roleOf('ada@bells.test'), null);
    assert.match((await ada.get('/crons')).headers.get('Location') ?? '', /teams\/new/);
    const { text } = await boss.get('/settings/activity');
    for (const words of [
      /Let the group in.*ops, as viewer/s,
      /Joined the team, let in.*viewer, by the group ops/s,
      /Got another role.*admin, by the group leads/s,
      /Left the team, let in no longer.*by the group leads/s,
    ])
      assert.match(text, words);
  });

  test('that are not told are none, and those who came by one are out; the operator is told', async () => {
    await setGroup(boss, 'ops', 'member');
    for (const groups of [undefined, { ops: true }]) {
      provider.person = somebody('bea', 'ops');
      await signIn(dashboard.visitor());
      assert.equal(await roleOf('bea@bells.test'), 'member');
      provider.person = somebody('bea', groups);
      await signIn(dashboard.visitor());
      assert.equal(await roleOf('bea@bells.test'), null);
    }
    assert.ok(dashboard.events.some(({ event }) => event === 'account.groups-not-told'));
  });

  test('end nothing while the provider is away', async () => {
    await using alone = await startProvider();
    await using other = await startDashboard(alone.env, { sends: false });
    alone.expect(other.url);
    const chief = await other.user('chief@bells.test');
    const at = await other.signIn(chief);
    await setGroup(at, 'ops', 'member');
    alone.person = somebody('cay', ['ops']);
    const cay = other.visitor();
    const to = (await cay.get('/login/provider')).headers.get('Location') ?? '';
    const back = new URL(await alone.visit(to));
    await cay.get(back.pathname + back.search);
    await alone.goAway();
    await cay.get('/login/provider');
    assert.equal(await roleOf('cay@bells.test', other), 'member');
    assert.equal((await cay.get('/crons')).status, 200);
  });

  test('change nobody who is in the team by hand, or by an invitation', async () => {
    await setGroup(boss, 'ops', 'admin');
    await dashboard.user('dee@bells.test', { role: 'viewer' });
    provider.person = somebody('dee', ['ops']);
    await signIn(dashboard.visitor());
    assert.equal(await roleOf('dee@bells.test'), 'viewer');
    provider.person = { ...somebody('owner', []), email: owner.email };
    const again = dashboard.visitor();
    await signIn(again);
    assert.equal(await roleOf(owner.email), 'owner');
  });

  test('are the business of those who manage members, in their own team', async () => {
    const eve = await dashboard.signIn(await dashboard.user('eve@bells.test', { role: 'member' }));
    const fay = await dashboard.signIn(await dashboard.user('fay@bells.test', { role: 'viewer' }));
    for (const visitor of [eve, fay])
      for (const act of [setGroup(visitor, 'mine', 'admin'), removeGroup(visitor, 'ops')])
        assert.equal((await act).status, 403);
    const { teams } = dashboard.service.people;
    const stranger = await dashboard.user('gus@elsewhere.test', { team: 'Elsewhere' });
    const forged = { userId: stranger.userId, teamId: owner.teamId, role: 'owner' } as const;
    await assert.rejects(teams.setGroup(forged, { group: 'mine', role: 'admin' }), {
      name: 'NotAllowed',
    });
    await assert.rejects(teams.listGroups(forged), { name: 'NotAllowed' });
    assert.ok(!(await boss.get('/settings/members')).text.includes('mine'));
  });

  test('make nobody an owner, and have a name', async () => {
    for (const [group, role] of [
      ['ops', 'owner'],
      ['ops', ''],
      ['', 'member'],
      ['x'.repeat(201), 'member'],
      ['a\u0000b', 'member'],
    ] as const)
      assert.equal((await setGroup(boss, group, role)).status, 422, `${group} ${role}`);
  });

  test('that are let in no longer take along who came by them', async () => {
    await setGroup(boss, 'temps', 'member');
    provider.person = somebody('hal', ['temps']);
    const hal = dashboard.visitor();
    await signIn(hal);
    assert.equal((await hal.get('/crons')).status, 200);
    assert.match((await boss.get('/settings/members')).text, /One member came by it/);
    assert.equal((await removeGroup(boss, 'temps')).status, 302);
    assert.equal((await hal.get('/crons')).status, 302);
    assert.match((await boss.get('/settings/activity')).text, /temps; 1 left with it/);
    assert.match((await removeGroup(boss, 'temps')).headers.get('Location') ?? '', /members/);
  });
});

describe('groups of a proxy', () => {
  test('act with the request that tells them, and with the next where they change', async () => {
    const env = {
      PROXY_SIGN_IN_HEADER: 'Remote-Email',
      PROXY_SIGN_IN_GROUPS_HEADER: 'Remote-Groups',
      PROXY_SIGN_IN_FROM: '127.0.0.1',
    };
    await using proxied = await startDashboard(env, { sends: false });
    const chief = await proxied.user('chief@bells.test');
    const at = await proxied.signIn(chief);
    await setGroup(at, 'ops', 'member');
    const ida = proxied.visitor();
    const as = (groups: string) => ({ 'Remote-Email': 'ida@bells.test', 'Remote-Groups': groups });
    assert.equal((await ida.get('/crons', as('staff'))).status, 302, 'no account');
    assert.equal((await ida.get('/crons', as('staff, ops'))).status, 200);
    assert.equal(await roleOf('ida@bells.test', proxied), 'member');
    const session = ida.cookies.get('belfry.session_token');
    const form = { intent: 'name', name: 'Changed', for_team: chief.teamId };
    const sent = await ida.post('/settings/profile', form, { ...as('staff'), Origin: proxied.url });
    assert.notEqual(sent.headers.get('Location'), '/settings/profile', 'not even a form passes');
    assert.equal(await roleOf('ida@bells.test', proxied), null);
    assert.equal((await ida.get('/crons', as('ops'))).status, 200);
    assert.equal(ida.cookies.get('belfry.session_token'), session);
    const isTold = () => proxied.events.some(({ event }) => event === 'account.groups-not-told');
    assert.ok(!isTold());
    const without = { 'Remote-Email': 'ida@bells.test' };
    assert.equal(
      (await ida.get('/crons', without)).status,
      302,
      'a proxy leaves out what is empty',
    );
    assert.ok(isTold());
  });
});
