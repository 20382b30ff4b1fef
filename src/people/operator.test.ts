import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#domain/base/ids';
import { Browser, LOCAL, openPeople } from '#testing/people';
import { DEFAULT_PLANS } from './plans.ts';

const ada = { email: 'Ada@Example.com ', password: 'correct horse' };

test('a user made by the operator has a team of their own and a token that acts on it', async () => {
  await using fixture = await openPeople();
  const made = await fixture.people.operator.createUser(ada);
  assert.equal(made.kind, 'created');
  if (made.kind !== 'created') return;
  const { userId, teamId, apiToken } = made;
  assert.deepEqual(await fixture.people.findTokenOwner(apiToken), {
    teamId,
    actor: 'ada (ada@example.com), API token',
    isViewer: false,
  });
  assert.deepEqual((await fixture.store.users.findWithTeams(userId))?.teams, [
    { id: teamId, name: "ada's team", role: 'owner' },
  ]);
});

test('the first member of a named team owns it, and later ones get their given role', async () => {
  await using fixture = await openPeople();
  const { operator } = fixture.people;
  const roles: string[] = [];
  for (const [email, role] of [
    ['a@x.test', 'member'],
    ['b@x.test', undefined],
    ['c@x.test', 'admin'],
  ] as const) {
    const made = await operator.createUser({
      email,
      role,
      password: 'correct horse',
      team: 'Bells',
    });
    assert.equal(made.kind, 'created');
    if (made.kind !== 'created') return;
    const [team] = (await fixture.store.users.findWithTeams(made.userId))?.teams ?? [];
    roles.push(team?.role ?? '');
  }
  assert.deepEqual(roles, ['owner', 'member', 'admin']);
  assert.equal((await operator.listTeams()).length, 1);
});

test('without PLANS the first team has no limit, and later ones have 1,000 runs a month', async () => {
  for (const first of ['setup', 'user create']) {
    await using fixture = await openPeople({ ...DEFAULT_PLANS, signUp: 'open' });
    const { accounts, operator, teams } = fixture.people;
    const browser = new Browser();
    const setUp = { ...ada, name: 'Ada', team: 'First' };
    if (first === 'setup') await accounts.createFirstAccount(setUp, browser.request, LOCAL);
    else await operator.createUser({ ...ada, team: 'First' });
    const bob = { email: 'bob@bells.test', password: ada.password, name: 'Bob' };
    const joined = await operator.createUser({ ...bob, team: 'First' });
    assert.ok(joined.kind === 'created');
    await teams.createTeam(joined.userId, 'By its owner');
    await operator.createUser({ ...bob, email: 'cy@bells.test', team: 'By command' });
    await accounts.register({ ...bob, email: 'di@x.test', team: 'By sign-up' }, browser.request);
    const plans = (await operator.listTeams()).map(({ name, plan, limit }) => {
      return `${name}: ${plan}, ${limit}`;
    });
    assert.deepEqual(plans.toSorted(), [
      'By command: free, 1000',
      'By its owner: free, 1000',
      'By sign-up: free, 1000',
      'First: unlimited, null',
    ]);
  }
});

test('user create puts its team on the first team’s plan again once every team is deleted', async () => {
  await using fixture = await openPeople(DEFAULT_PLANS);
  const { operator, teams } = fixture.people;
  const made = await operator.createUser({ ...ada, team: 'First' });
  assert.ok(made.kind === 'created');
  await teams.deleteTeam({ ...made, role: 'owner' }, 'First');
  const again = await operator.createUser({ ...ada, email: 'bob@bells.test', team: 'Second' });
  assert.ok(again.kind === 'created');
  const [team] = await operator.listTeams();
  assert.deepEqual([team?.name, team?.plan], ['Second', 'unlimited']);
});

test('a text shaped like an id names the team with that id, and never a team of that name', async () => {
  await using fixture = await openPeople();
  const { operator } = fixture.people;
  const meant = await fixture.store.teams.create('Bells', 'free', fixture.clock.now());
  // Such names are refused today. A team may have one from before.
  const namesake = await fixture.store.teams.create(meant.id, 'free', fixture.clock.now());
  const gone = newId(1);
  await fixture.store.teams.create(gone, 'free', fixture.clock.now());

  for (const [email, id] of [
    ['ada@x.test', meant.id],
    ['bob@x.test', meant.id.toUpperCase()],
  ] as const) {
    const found = await operator.findTeam(id);
    assert.equal(found.kind === 'found' && found.team.id, meant.id);
    const user = await operator.createUser({ ...ada, email, team: id });
    assert.equal(user.kind === 'created' && user.teamId, meant.id);
  }
  assert.equal((await operator.findTeam(gone)).kind, 'not-found');
  const refused = { kind: 'refused', errors: { team: [`There is no team ${gone}.`] } };
  assert.deepEqual(await operator.createUser({ ...ada, team: gone }), refused);
  assert.deepEqual(await fixture.store.members.list(namesake.id), []);
});
