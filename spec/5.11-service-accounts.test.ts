/** §5.11: tokens that belong to a team and to no user. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Role } from '#people/roles';
import { leavingNothing } from '#testing/api-calls';
import { aCron, aJob } from '#testing/api-server';
import { callHttp } from '#testing/client';
import { type TestService, useService } from '#testing/service';
import { forEachStore } from '#testing/stores';

const INVALID = '{"error":"Invalid webhook token"}';

let users = 0;

async function makeUser({ people }: TestService, team: string, role?: Role) {
  const email = `user${++users}@example.com`;
  const given = { email, password: 'correct horse battery', team, role };
  const made = await people.operator.createUser(given);
  assert.ok(made.kind === 'created', JSON.stringify(made));
  return { userId: made.userId, teamId: made.teamId, role: role ?? 'owner', email };
}

/** As the operator does it. */
async function makeAccount({ people }: TestService, teamId: string, name = 'billing') {
  const made = await people.operator.createServiceAccount(teamId, name);
  assert.ok(made.kind === 'made', JSON.stringify(made));
  return made;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

forEachStore((_, openTestStore) => {
  const service = useService(openTestStore, { sends: false });
  const newTeam = () => makeUser(service, `Team ${users}`);

  const findTeamReached = async (token: string) => {
    const { status, json, text } = await service.post('/api/jobs', aJob, bearer(token));
    assert.equal(status, 201, text);
    return service.work.findTeamOfJob(String(json['job_id']));
  };
  const refuse = async (token: string) => {
    for (const [path, body] of [
      ['/api/jobs', { ...aJob, queue: 'refused' }],
      ['/api/crons', aCron],
    ] as const) {
      const call = () => service.post(path, body, bearer(token));
      const { status, text, headers } = await leavingNothing(service, call);
      assert.deepEqual([status, text], [401, INVALID]);
      assert.equal(headers.get('content-type'), 'application/json');
    }
  };

  test('a service account creates crons and jobs in its team, whichever team its maker selects', async () => {
    const owner = await newTeam();
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
      const { teamId } = await newTeam();
      const [one, two] = [
        await makeAccount(service, teamId, 'one'),
        await makeAccount(service, teamId, 'two'),
      ];
      assert.equal(await findTeamReached(one.token), teamId);
      assert.equal(await service.people.operator.revokeServiceAccount(teamId, one.id), true);
      await refuse(one.token);
      assert.equal(await findTeamReached(two.token), teamId, 'others stay');
    });

    test('a token that another process revokes is refused at once', async () => {
      const { teamId } = await newTeam();
      const { token, id } = await makeAccount(service, teamId);
      assert.equal(await findTeamReached(token), teamId);
      const other = await service.store.openAnother();
      assert.equal(await other.serviceAccounts.revoke(teamId, id), 'billing');
      await refuse(token);
    });

    test('a token of a deleted team is refused', async () => {
      const owner = await newTeam();
      const { token } = await makeAccount(service, owner.teamId);
      const name = (await service.store.teams.find(owner.teamId))?.name ?? '';
      const done = await service.people.teams.deleteTeam(owner, name);
      assert.equal(done.kind, 'done');
      await refuse(token);
    });

    test('a token of a team that was deleted with its only member is refused', async () => {
      const owner = await newTeam();
      const { token } = await makeAccount(service, owner.teamId);
      assert.deepEqual(await service.store.users.delete(owner.userId, service.clock.now()), []);
      await refuse(token);
    });

    test('a changed, cut or hashed token of a service account is refused', async () => {
      const { token } = await makeAccount(service, (await newTeam()).teamId);
      for (const wrong of [
        `${token}x`,
        token.slice(0, -1),
        token.toUpperCase(),
        token.replace('belfry_service_', 'belfry_'),
        `belfry_service_${token}`,
        'belfry_service_',
        createHash('sha256').update(token).digest('hex'),
      ]) {
        await refuse(wrong);
      }
      await refuse(service.token.replace('belfry_', 'belfry_service_'));
    });
  });

  test('a service token is stored as a SHA-256 hash only', async () => {
    const { teamId } = await newTeam();
    const { token } = await makeAccount(service, teamId);
    const rows = await service.store.database.read((db) =>
      db.selectFrom('service_accounts').selectAll().where('team_id', '=', teamId).execute(),
    );
    const kept = JSON.stringify(rows);
    assert.ok(!kept.includes(token) && !kept.includes(token.slice(15)));
    assert.ok(kept.includes(createHash('sha256').update(token).digest('hex')));
    assert.doesNotMatch(
      JSON.stringify(await service.people.operator.listServiceAccounts(teamId)),
      /[0-9a-f]{64}/,
    );
  });

  test('many calls of a minute write the last use once', async () => {
    const { teamId } = await newTeam();
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
