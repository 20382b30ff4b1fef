import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#domain/base/ids';
import { Browser, LOCAL, openPeople } from '#testing/people';
import { DEFAULT_PLANS } from './plans.ts';

const ada = { email: 'Ada@Example.com ', password: 'correct horse' };

test('the operator makes users with a team of their own, or in a named one that the first of them owns', async () => {
  await using fixture = await openPeople();
  const { operator } = fixture.people;
  const teams: unknown[] = [];
  for (const [email, role, team] of [
    ['Ada@Example.com ', undefined, undefined],
    ['a@x.test', 'member', 'Bells'],
    ['b@x.test', undefined, 'Bells'],
    ['c@x.test', 'admin', 'Bells'],
  ] as const) {
    const made = await operator.createUser({ ...ada, email, role, team });
    assert.ok(made.kind === 'created');
    const { userId, teamId, apiToken } = made;
    const owner = await fixture.people.findTokenOwner(apiToken);
    assert.equal(owner?.teamId, teamId);
    const [own] = (await fixture.store.users.findWithTeams(userId))?.teams ?? [];
    teams.push([owner.actor, own?.name, own?.role]);
  }
  assert.deepEqual(teams, [
    ['ada (ada@example.com), API token', "ada's team", 'owner'],
    ['a (a@x.test), API token', 'Bells', 'owner'],
    ['b (b@x.test), API token', 'Bells', 'member'],
    ['c (c@x.test), API token', 'Bells', 'admin'],
  ]);
  assert.equal((await operator.listTeams()).length, 2);
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
  await operator.createUser({ ...ada, email: 'bob@bells.test', team: 'Second' });
  const found = (await operator.listTeams()).map(({ name, plan }) => [name, plan]);
  assert.deepEqual(found, [['Second', 'unlimited']]);
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
