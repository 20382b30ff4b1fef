import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { startProvider, type TestProvider } from '#testing/provider';
import type { Visitor } from '#testing/visitor';

/** §5.7: the operator's GROUP_ROLES gives people roles in teams, by the groups of a provider or a proxy. */

const ENV = {
  SIGN_UP: 'invite',
  GROUP_ROLES: 'ops=Bells:member, leads=Bells:admin,"temps, all"=Bells:viewer,ops=Chimes:admin',
};
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

const signIn = (visitor: Visitor) => provider.signIn(visitor);

async function roleOf(email: string, of = dashboard): Promise<string | null> {
  const [{ teamId } = { teamId: '' }] = await of.service.people.operator.listTeams();
  const members = await of.service.store.members.list(teamId);
  return members.find((member) => member.email === email)?.role ?? null;
}

const choose = (visitor: Visitor) => visitor.post('/teams/switch', { teamId: owner.teamId });

describe('groups of an identity provider', () => {
  test('a group gives its users a role in a team while they are in it', async () => {
    provider.person = somebody('ada', ['staff', 'temps, all']);
    const ada = dashboard.visitor();
    assert.equal((await signIn(ada)).status, 302, 'without an invitation');
    const { headers } = await ada.get('/crons');
    assert.match(headers.get('Location') ?? '', /teams\/new/, 'no team is chosen for them');
    const page = await ada.get('/teams/new');
    assert.match(page.text, /Choose a team/);
    assert.match(page.text, /Bells/);
    assert.equal((await choose(ada)).status, 302);
    assert.match((await ada.get('/')).text, VIEWER_MARK);
    assert.match((await boss.get('/settings/members')).text, /by the group temps, all/);

    provider.person = somebody('ada', ['leads', 'ops', 'temps, all']);
    await signIn(ada);
    assert.equal((await ada.get('/settings/members')).status, 200, 'the highest role counts');

    provider.person = somebody('ada', ['staff']);
    await signIn(ada);
    assert.equal(await roleOf('ada@bells.test'), null);
    assert.match((await ada.get('/crons')).headers.get('Location') ?? '', /teams\/new/);
    const { text } = await boss.get('/settings/activity');
    for (const words of [
      /Joined the team.*viewer, by the group temps, all/s,
      /Got another role.*admin, by the group leads/s,
      /Left the team.*by the group leads/s,
    ])
      assert.match(text, words);
  });

  test('a missing groups claim ends memberships by groups and is logged', async () => {
    provider.person = somebody('bea', 'ops');
    await signIn(dashboard.visitor());
    assert.equal(await roleOf('bea@bells.test'), 'member');
    provider.person = somebody('bea');
    await signIn(dashboard.visitor());
    assert.equal(await roleOf('bea@bells.test'), null);
    assert.ok(dashboard.events.some(({ event }) => event === 'account.groups-missing'));
  });

  test('memberships by groups stay while the provider is away', async () => {
    provider.person = somebody('cay', ['ops']);
    const cay = dashboard.visitor();
    await signIn(cay);
    await choose(cay);
    provider.person = somebody('cay', ['staff']);
    provider.broken = '/token';
    assert.equal((await signIn(cay)).status, 503);
    provider.broken = null;
    assert.equal(await roleOf('cay@bells.test'), 'member');
    assert.equal((await cay.get('/crons')).status, 200);
  });
});

describe('a team', () => {
  test("a team can't map groups itself", async () => {
    const form = { intent: 'set-group', group: 'staff', role: 'admin' };
    assert.equal((await boss.post('/settings/members', form)).status, 400);
    assert.doesNotMatch((await boss.get('/settings/members')).text, /Groups/);
  });

  test("a team can't take a name used in GROUP_ROLES", async () => {
    const eva = await dashboard.signIn(await dashboard.user('eva@x.test', { team: 'Evas' }));
    for (const [path, form] of [
      ['/teams/new', { name: ' Chimes ' }],
      ['/settings/team', { intent: 'rename', name: 'Chimes' }],
    ] as const) {
      const { status, text } = await eva.post(path, form);
      assert.equal(status, 422, path);
      assert.match(text, /Only the operator of Belfry can use this name/);
    }
    assert.equal(
      (await boss.post('/settings/team', { intent: 'rename', name: 'Bells' })).status,
      302,
    );
  });
});

test('groups of a proxy apply with each request', async () => {
  const env = {
    PROXY_SIGN_IN_HEADER: 'Remote-Email',
    PROXY_SIGN_IN_GROUPS_HEADER: 'Remote-Groups',
    PROXY_SIGN_IN_FROM: '127.0.0.1',
    GROUP_ROLES: 'ops=Bells:member',
  };
  await using proxied = await startDashboard(env, { sends: false });
  const chief = await proxied.user('chief@bells.test');
  const ida = proxied.visitor();
  const as = (groups: string) => ({ 'Remote-Email': 'ida@bells.test', 'Remote-Groups': groups });
  assert.equal((await ida.get('/crons', as('staff, OPS'))).status, 302, 'no account');
  assert.equal((await ida.get('/crons', as('staff, ops'))).status, 302, 'no team is chosen');
  const chooseTeam = () =>
    ida.post('/teams/switch', { teamId: chief.teamId }, { ...as('ops'), Origin: proxied.url });
  await chooseTeam();
  assert.equal((await ida.get('/crons', as('staff, ops'))).status, 200);
  assert.equal(await roleOf('ida@bells.test', proxied), 'member');
  const form = { intent: 'name', name: 'Changed', for_team: chief.teamId };
  const sent = await ida.post('/settings/profile', form, { ...as('staff'), Origin: proxied.url });
  assert.notEqual(sent.headers.get('Location'), '/settings/profile', 'not even a form passes');
  assert.equal(await roleOf('ida@bells.test', proxied), null);
  assert.equal((await ida.get('/crons', as('ops'))).status, 302, 'nor is it chosen again');
  await chooseTeam();
  assert.equal((await ida.get('/crons', as('ops'))).status, 200);
  const isLogged = () => proxied.events.some(({ event }) => event === 'account.groups-missing');
  assert.ok(!isLogged());
  const without = { 'Remote-Email': 'ida@bells.test' };
  assert.equal((await ida.get('/crons', without)).status, 302, 'a proxy leaves out what is empty');
  assert.ok(isLogged());
});
