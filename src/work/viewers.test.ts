import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotAllowed } from '#domain/http/not-allowed';
import { aCron, aJob } from '#testing/factories';
import { ANYBODY, openWork } from '#testing/work';
import { type Need, VERBS } from './verbs.ts';
import type { Work } from './work.ts';

const SECRET = 'hunter2';
const VIEWER = { ...ANYBODY, may: (need: Need) => need === 'look' };

test("a viewer's changes are rejected before their input is read (§5.8)", async () => {
  await using fixture = await openWork();
  const work = fixture.work.for(VIEWER);
  const needing = Object.entries(VERBS).filter(([, { needs }]) => needs !== 'look');
  const names = needing.map(([name]) => name as keyof Work);
  for (const name of ['testRun', 'markAlerts', 'listChannelSettings'] as const)
    assert.ok(names.includes(name));
  assert.ok(names.length > 30);
  for (const name of names) {
    const act = work[name] as (teamId: string) => Promise<unknown>;
    await assert.rejects(act(fixture.team.id), NotAllowed, name);
  }
});

test("a viewer's work gives no access to that of other roles (§5.8)", async () => {
  await using fixture = await openWork();
  const byName = fixture.work.for(VIEWER).for(ANYBODY);
  for (const work of [byName, byName.for(VIEWER), byName.for(ANYBODY)]) {
    await assert.rejects(work.pauseCron(fixture.team.id, fixture.team.id), NotAllowed);
  }
});

test('a viewer never gets values of secret headers (§5.9)', async () => {
  await using fixture = await openWork();
  const { store, team } = fixture;
  const work = fixture.work.for(VIEWER);
  const headers = [
    ['Authorization', SECRET],
    ['X-Plain', 'seen'],
  ] as const;
  const cron = await aCron(store, team.id, { headers });
  const run = await fixture.work.runCronNow(team.id, cron.id);
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
