import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotAllowed } from '#domain/http/not-allowed';
import { aCron, aJob, aTeam } from '#testing/factories';
import { openSqliteTestStore } from '#testing/stores';
import { type Need, VERBS } from './verbs.ts';
import { createWork, type Work } from './work.ts';

const SECRET = 'hunter2';
const log = { error: () => {} };
const anybody = { doer: { userId: 'ada' }, actor: 'Ada', may: () => true, log };
const viewer = { ...anybody, may: (need: Need) => need === 'look' };

const open = async () => {
  const store = await openSqliteTestStore();
  const team = await aTeam(store);
  const all = createWork({ store });
  return { store, team, all, work: all.for(viewer), [Symbol.asyncDispose]: () => store.close() };
};

test("a viewer's changes are rejected before their input is read (§5.8)", async () => {
  await using fixture = await open();
  const needing = Object.entries(VERBS).filter(([, { needs }]) => needs !== 'look');
  const names = needing.map(([name]) => name as keyof Work);
  for (const name of ['testRun', 'markAlerts', 'readChannelConfig', 'listChannelSettings'] as const)
    assert.ok(names.includes(name));
  assert.ok(names.length > 30);
  for (const name of names) {
    const act = fixture.work[name] as (teamId: string) => Promise<unknown>;
    await assert.rejects(act(fixture.team.id), NotAllowed, name);
  }
});

test("a viewer's work gives no access to that of other roles (§5.8)", async () => {
  await using fixture = await open();
  const byName = fixture.work.for(anybody);
  for (const work of [byName, fixture.work.for(viewer), byName.for(anybody)]) {
    await assert.rejects(work.pauseCron(fixture.team.id, fixture.team.id), NotAllowed);
  }
});

test('a viewer never gets values of secret headers (§5.9)', async () => {
  await using fixture = await open();
  const { store, team, work } = fixture;
  const headers = [
    ['Authorization', SECRET],
    ['X-Plain', 'seen'],
  ] as const;
  const cron = await aCron(store, team.id, { headers });
  const run = await fixture.all.runCronNow(team.id, cron.id);
  const { jobId } = await aJob(store, team.id, { headers });
  const given = await Promise.all([
    work.findCron(team.id, cron.id),
    work.listCrons(team.id),
    work.findJob(team.id, jobId),
    work.readJobDetail(team.id, jobId, { showSecrets: true, isWhole: true }),
    work.readExecutionDetail(team.id, run?.id ?? '', { showSecrets: true, isWhole: true }),
  ]);
  for (const each of given) {
    assert.match(JSON.stringify(each), /seen/);
    assert.doesNotMatch(JSON.stringify(each), new RegExp(SECRET));
  }
  assert.equal(await work.findCron(team.id, team.id), null);
});

test('every method of work has a permission (§5.8)', async () => {
  await using fixture = await open();
  const others = new Set(['for', 'isSecretHeader', 'now']);
  const methods = Object.keys(fixture.all).filter((name) => !others.has(name));
  assert.deepEqual(methods.toSorted(), Object.keys(VERBS).toSorted());
});
