/** §5.1–5.5, 5.7, 5.8, 5.11: tokens, teams, roles and service accounts. Signing (5.6) has a file of its own. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { all } from '#store/database/rows';
import { leavingNothing } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aCron, aJob } from '#testing/api-server';
import { type TestService, useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';
import { aUser } from '#testing/users';

const MISSING = '{"error":"Missing authorization token"}';
const INVALID = '{"error":"Invalid webhook token"}';

let users = 0;

/** By default the owner of a team of their own. */
function makeUser(service: TestService, team?: string, role?: 'admin' | 'member' | 'viewer') {
  const email = `user${++users}@example.com`;
  return aUser(service, email, { team: team ?? `Team ${users}`, role });
}

/** As the operator does it. */
async function makeAccount({ people }: TestService, teamId: string, name = 'billing') {
  const made = await people.operator.createServiceAccount(teamId, name);
  assert.ok(made.kind === 'made', JSON.stringify(made));
  return made;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const service = useService(openSqliteTestStore, { sends: false });

/** Posts a good job with the token, and gives the team that it ended up in. */
const findTeamReached = async (token: string) => {
  const { status, json, text } = await service.post('/api/jobs', aJob, bearer(token));
  assert.equal(status, 201, text);
  return service.work.findTeamOfJob(String(json['job_id']));
};
const refuse = async (token: string, status: number, text: string) => {
  for (const [path, body] of [
    ['/api/jobs', { ...aJob, queue: 'refused' }],
    ['/api/crons', aCron],
  ] as const) {
    // Errors other than those of a body are JSON, whatever a client accepts (§4.6).
    const call = () => service.post(path, body, { ...bearer(token), Accept: 'text/html' });
    const answer = await leavingNothing(service, call);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.text, text);
  }
};

describe('5.1 the token', () => {
  test('a regenerated token invalidates the old one at once', async () => {
    const { apiToken, userId, teamId, email } = await makeUser(service);
    const second = await service.people.tokens.generateApiToken(userId);
    await refuse(apiToken, 401, INVALID);
    assert.equal(await findTeamReached(second), teamId);
    const third = await service.people.operator.newToken(email);
    assert.ok(third);
    await refuse(second, 401, INVALID);
    assert.equal(await findTeamReached(third), teamId);
  });

  test('tokens of users and service accounts are stored as SHA-256 hashes only (§5.1)', async () => {
    const { apiToken, userId, teamId } = await makeUser(service);
    const { token } = await makeAccount(service, teamId);
    const { database } = service.store;
    const ofUser = await all(database, 'api_tokens', { user_id: userId });
    const ofTeam = await all(database, 'service_accounts', { team_id: teamId });
    assert.equal(ofUser.length, 1, 'one per user');
    const kept = JSON.stringify([ofUser, ofTeam]);
    for (const text of [apiToken, token]) {
      assert.ok(!kept.includes(text) && !kept.includes(text.slice(15)));
      assert.ok(kept.includes(createHash('sha256').update(text).digest('hex')));
    }
    const listed = await service.people.operator.listServiceAccounts(teamId);
    assert.doesNotMatch(JSON.stringify(listed), /[0-9a-f]{64}/);
  });

  test('the token of a deleted account matches no user', async () => {
    const { apiToken, userId, teamId } = await makeUser(service);
    await service.store.members.deleteTeam(teamId, service.clock.now());
    assert.deepEqual(await service.store.users.delete(userId, service.clock.now()), []);
    await refuse(apiToken, 401, INVALID);
  });
});

describe('5.2 the current team', () => {
  test('the API uses the team that its user has selected, at once after a switch', async () => {
    const { apiToken, userId, teamId: first } = await makeUser(service);
    const made = await service.people.teams.createTeam(userId, 'Second');
    assert.ok(made.kind === 'created');
    assert.equal(await findTeamReached(apiToken), made.teamId, 'a new team is current');
    assert.equal(await service.people.teams.switchTeam(userId, first), true);
    assert.equal(await findTeamReached(apiToken), first);
    assert.equal(await service.people.teams.switchTeam(userId, made.teamId), true);
    const cron = await service.post('/api/crons', aCron, bearer(apiToken));
    assert.equal(await service.work.findTeamOfCron(String(cron.json['id'])), made.teamId);
  });

  test("a body can't name another team, and a switch to a foreign team is refused", async () => {
    const outsider = await makeUser(service);
    const { apiToken, userId, teamId } = await makeUser(service);
    assert.equal(await service.people.teams.switchTeam(userId, outsider.teamId), false);
    const body = { ...aJob, team: outsider.teamId, team_id: outsider.teamId };
    const { json } = await service.post('/api/jobs', body, bearer(apiToken));
    assert.equal(await service.work.findTeamOfJob(String(json['job_id'])), teamId);
  });
});

describe('5.3 no selected team', () => {
  const SERVER_ERROR = '{"message":"Server Error"}';

  test('the API answers 500 after the selected team was deleted, even if the user has another', async () => {
    const { apiToken, userId, teamId: first } = await makeUser(service);
    const made = await service.people.teams.createTeam(userId, 'Short-lived');
    assert.ok(made.kind === 'created');
    await service.store.members.deleteTeam(made.teamId, service.clock.now());
    await refuse(apiToken, 500, SERVER_ERROR);
    await service.people.teams.switchTeam(userId, first);
    assert.equal(await findTeamReached(apiToken), first);
  });

  test('the API answers 500 after the user was removed from the selected team', async () => {
    const owner = await makeUser(service);
    const member = await makeUser(service, `Team ${users}`, 'member');
    assert.equal(await findTeamReached(member.apiToken), owner.teamId);
    const { userId, teamId } = owner;
    const actor = { userId, teamId, role: 'owner' } as const;
    await service.people.teams.removeMember(actor, member.userId);
    await refuse(member.apiToken, 500, SERVER_ERROR);
  });
});

describe('5.4 a token that is missing or unknown', () => {
  const call = (authorization: string | undefined) =>
    leavingNothing(service, () =>
      callHttp(`${service.url}/api/jobs`, {
        headers: {
          'Content-Type': 'application/json',
          ...(authorization !== undefined && { Authorization: authorization }),
        },
        body: JSON.stringify({ ...aJob, queue: 'refused' }),
      }),
    );

  test('a missing token, another scheme or an empty token gets 401 (§5.4)', async () => {
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Basic dXNlcjpwYXNz',
      service.token,
      `Token ${service.token}`,
      `Bearer:${service.token}`,
      `Bearer${service.token}`,
    ]) {
      const { status, text } = await call(header);
      assert.deepEqual([status, text], [401, MISSING], String(header));
    }
  });

  test('a token of no user or service account gets 401', async () => {
    const { token } = service;
    const account = await makeAccount(service, service.teamId);
    const changed = [token, account.token].flatMap((known) => [
      `${known}x`,
      known.slice(0, -1),
      known.toUpperCase(),
      createHash('sha256').update(known).digest('hex'),
    ]);
    for (const unknown of [
      ...changed,
      account.token.replace('belfry_service_', 'belfry_'),
      token.replace('belfry_', 'belfry_service_'),
      'belfry_service_',
      'null',
      `${token} ${token}`,
      `"${token}"`,
      `' or 1=1 --`,
      'é'.repeat(40),
      'x'.repeat(8000),
      `${token}\u0080`,
    ]) {
      const { status, text } = await call(`Bearer ${unknown}`);
      assert.deepEqual([status, text], [401, INVALID], unknown);
    }
  });

  test('a token in the query or body is ignored', async () => {
    const { token: api_token } = service;
    const { status, text } = await callHttp(
      `${service.url}/api/jobs?api_token=${api_token}&token=${api_token}`,
      {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...aJob, api_token, token: api_token }),
      },
    );
    assert.deepEqual([status, text], [401, MISSING]);
  });

  test('the scheme Bearer is accepted in any case (§5.4)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
      const headers = { Authorization: `${scheme} ${service.token}` };
      assert.equal((await service.post('/api/jobs', aJob, headers)).status, 201);
    }
  });
});

test('every role but viewer may create crons and jobs (§5.8)', async () => {
  const owner = await makeUser(service);
  const team = `Team ${users}`;
  for (const role of ['admin', 'member'] as const) {
    const { apiToken } = await makeUser(service, team, role);
    assert.equal(await findTeamReached(apiToken), owner.teamId);
    assert.equal((await service.post('/api/crons', aCron, bearer(apiToken))).status, 201);
  }
  const { apiToken } = await makeUser(service, team, 'viewer');
  await refuse(apiToken, 403, '{"error":"Viewers of a team cannot create anything in it"}');
});

describe('5.11 service accounts', () => {
  test('a service account creates crons and jobs in its team, whichever team its maker selects', async () => {
    const owner = await makeUser(service);
    const { token } = await makeAccount(service, owner.teamId);
    assert.equal(await findTeamReached(token), owner.teamId);
    await service.people.teams.createTeam(owner.userId, 'Another');
    assert.equal(await findTeamReached(token), owner.teamId);
    const cron = await service.post('/api/crons', aCron, bearer(token));
    assert.equal(cron.status, 201);
    assert.equal(await service.work.findTeamOfCron(String(cron.json['id'])), owner.teamId);
  });

  test('a token that another process revokes is refused at once, and others stay', async () => {
    const { teamId } = await makeUser(service);
    const [one, two] = [
      await makeAccount(service, teamId, 'one'),
      await makeAccount(service, teamId, 'two'),
    ];
    assert.equal(await findTeamReached(one.token), teamId);
    const other = await service.store.openAnother();
    assert.equal(await other.serviceAccounts.revoke(teamId, one.id), 'one');
    await refuse(one.token, 401, INVALID);
    assert.equal(await findTeamReached(two.token), teamId);
  });

  test('a token of a deleted team is refused', async () => {
    const { teamId } = await makeUser(service);
    const { token } = await makeAccount(service, teamId);
    await service.store.members.deleteTeam(teamId, service.clock.now());
    await refuse(token, 401, INVALID);
  });

  test('many calls of a minute write the last use once', async () => {
    const { teamId } = await makeUser(service);
    const { token } = await makeAccount(service, teamId);
    const lastUse = async () => {
      await service.people.close();
      const [account] = await service.people.operator.listServiceAccounts(teamId);
      return account?.lastUsedAt;
    };
    assert.equal(await lastUse(), null);
    const first = service.clock.now();
    for (let n = 0; n < 3; n++) await findTeamReached(token);
    await service.clock.advance(59_999);
    await findTeamReached(token);
    assert.equal(await lastUse(), first);
    await service.clock.advance(1);
    await findTeamReached(token);
    assert.equal(await lastUse(), first + 60_000);
  });
});
