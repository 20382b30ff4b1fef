import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aUser, Browser, openPeople, type TestPeople } from '#testing/people';
import type { GroupRole } from './groups.ts';

const PROXY = {
  emailHeader: 'remote-email',
  nameHeader: null,
  groupsHeader: 'remote-groups',
  groupSeparator: ',',
  from: [],
  signOutUrl: null,
};

const warnings = ({ events }: TestPeople) =>
  events.flatMap(({ event, fields }) =>
    event === 'group-roles.no-such-team'
      ? [`${String(fields['team'])}: ${String(fields['reason'])}`]
      : [],
  );

test('a group leads to a team by its id, or by a name that one team has', async () => {
  // The ids are known once the teams are made.
  const groupRoles: GroupRole[] = [];
  await using fixture = await openPeople({ groupRoles, proxySignIn: PROXY });
  const { teamId } = await aUser(fixture, 'ada@bells.test', { team: 'Bells' });
  const gongs = await aUser(fixture, 'bob@gongs.test', { team: 'Gongs' });
  await fixture.store.teams.create('Gongs', 'free', 1);
  groupRoles.push(
    { group: 'ops', team: 'Bells', role: 'member' },
    { group: 'ops', team: gongs.teamId.toUpperCase(), role: 'viewer' },
    { group: 'ops', team: 'Gongs', role: 'admin' },
    { group: 'ops', team: 'Nothing', role: 'admin' },
    { group: 'others', team: 'Bells', role: 'admin' },
  );
  await fixture.people.warnOfUnknownTeams();
  assert.deepEqual(warnings(fixture), ['Gongs: ambiguous', 'Nothing: not-found']);
  const cy = await aUser(fixture, 'cy@x.test', { team: 'Own' });
  const claim = {
    kind: 'person',
    email: 'cy@x.test',
    name: null,
    groups: ['ops', 'Others'],
  } as const;
  await fixture.people.accounts.arrive({ ...new Browser().request, claim }, 'known');
  const teams = (await fixture.store.users.findWithTeams(cy.userId))?.teams.map(({ id, role }) => [
    id,
    role,
  ]);
  assert.deepEqual(teams, [
    [teamId, 'member'],
    [gongs.teamId, 'viewer'],
    [cy.teamId, 'owner'],
  ]);
});
