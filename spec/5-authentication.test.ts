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

async function actorOf(
  service: TestService,
  { userId, teamId }: { userId: string; teamId: string },
) {
  const actor = await service.people.teams.proveMember(userId, teamId);
  assert.ok(actor);
  return actor;
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

  test('a token is stored as a SHA-256 hash only (§5.1)', async () => {
    const { apiToken, userId } = await makeUser(service);
    const rows = await all(service.store.database, 'api_tokens', { user_id: userId });
    const kept = JSON.stringify(rows);
    assert.equal(rows.length, 1, 'one per user');
    assert.ok(!kept.includes(apiToken));
    assert.ok(kept.includes(createHash('sha256').update(apiToken).digest('hex')));
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

  test('the API answers 500 after the selected team was deleted, until another is selected', async () => {
    const owner = await makeUser(service);
    const { apiToken, userId, teamId } = owner;
    const name = (await service.store.teams.find(teamId))?.name ?? '';
    const done = await service.people.teams.deleteTeam(await actorOf(service, owner), name);
    assert.equal(done.kind, 'done');
    await refuse(apiToken, 500, SERVER_ERROR);
    const made = await service.people.teams.createTeam(userId, 'Next');
    assert.equal(await findTeamReached(apiToken), made.kind === 'created' && made.teamId);
  });

  test('the API answers 500 without a selected team even if the user has another team', async () => {
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
    await service.people.teams.removeMember(await actorOf(service, owner), member.userId);
    await refuse(member.apiToken, 500, SERVER_ERROR);
    assert.equal(await findTeamReached(owner.apiToken), owner.teamId);
  });
});

describe('5.4 a token that is missing or unknown', () => {
  const call = (authorization: string | undefined, accept?: string) =>
    leavingNothing(service, () =>
      callHttp(`${service.url}/api/jobs`, {
        headers: {
          'Content-Type': 'application/json',
          ...(accept !== undefined && { Accept: accept }),
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

  test('a token of no user gets 401', async () => {
    const { token } = service;
    for (const unknown of [
      'x',
      'null',
      `${token}x`,
      token.slice(0, -1),
      token.toUpperCase(),
      `${token} ${token}`,
      `"${token}"`,
      `' or 1=1 --`,
      'é'.repeat(40),
      'x'.repeat(8000),
      `${token}\u0080`,
      createHash('sha256').update(token).digest('hex'),
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

describe('5.8 roles', () => {
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

  describe('a token that is no longer valid', () => {
    test('a revoked token is refused at once, also if it was used a moment before', async () => {
      const { teamId } = await makeUser(service);
      const [one, two] = [
        await makeAccount(service, teamId, 'one'),
        await makeAccount(service, teamId, 'two'),
      ];
      assert.equal(await findTeamReached(one.token), teamId);
      assert.equal(await service.people.operator.revokeServiceAccount(teamId, one.id), true);
      await refuse(one.token, 401, INVALID);
      assert.equal(await findTeamReached(two.token), teamId, 'others stay');
    });

    test('a token that another process revokes is refused at once', async () => {
      const { teamId } = await makeUser(service);
      const { token, id } = await makeAccount(service, teamId);
      assert.equal(await findTeamReached(token), teamId);
      const other = await service.store.openAnother();
      assert.equal(await other.serviceAccounts.revoke(teamId, id), 'billing');
      await refuse(token, 401, INVALID);
    });

    test('a token of a deleted team is refused', async () => {
      const owner = await makeUser(service);
      const { token } = await makeAccount(service, owner.teamId);
      const name = (await service.store.teams.find(owner.teamId))?.name ?? '';
      const done = await service.people.teams.deleteTeam(await actorOf(service, owner), name);
      assert.equal(done.kind, 'done');
      await refuse(token, 401, INVALID);
    });

    test('a changed, cut or hashed token of a service account is refused', async () => {
      const { token } = await makeAccount(service, (await makeUser(service)).teamId);
      for (const wrong of [
        `${token}x`,
        token.slice(0, -1),
        token.toUpperCase(),
        token.replace('belfry_service_', 'belfry_'),
        `belfry_service_${token}`,
        'belfry_service_',
        createHash('sha256').update(token).digest('hex'),
      ]) {
        await refuse(wrong, 401, INVALID);
      }
      await refuse(service.token.replace('belfry_', 'belfry_service_'), 401, INVALID);
    });
  });

  test('a service token is stored as a SHA-256 hash only', async () => {
    const { teamId } = await makeUser(service);
    const { token } = await makeAccount(service, teamId);
    const rows = await all(service.store.database, 'service_accounts', { team_id: teamId });
    const kept = JSON.stringify(rows);
    assert.ok(!kept.includes(token) && !kept.includes(token.slice(15)));
    assert.ok(kept.includes(createHash('sha256').update(token).digest('hex')));
    assert.doesNotMatch(
      JSON.stringify(await service.people.operator.listServiceAccounts(teamId)),
      /[0-9a-f]{64}/,
    );
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

  test('a service token opens nothing but the two endpoints', async () => {
    const { token } = await makeAccount(service, service.teamId);
    const call = (path: string, method = 'GET') =>
      callHttp(`${service.url}${path}`, { method, headers: bearer(token) });
    assert.equal((await call('/api/jobs')).status, 405);
    assert.equal((await call('/api/queues')).status, 404);
    const jobs = await call('/jobs');
    assert.ok(jobs.status !== 200, 'no page of the dashboard');
  });
});
