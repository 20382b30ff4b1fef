import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aClaimedJob,
  aCron,
  aDeadLetter,
  aJob,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  runCron,
} from '#testing/factories';
import { fillExecutions } from '#testing/fill';
import { forEachStore, TEST_START } from '#testing/stores';
import { change } from '../database/rows.ts';

const NO_RUNS = { success: 0, retried: 0, failed: 0 };
const NEVER = { lastSuccessAt: null, failing: 0, oldestDueMs: 0, runs: NO_RUNS };

forEachStore((_name, openTestStore) => {
  test("a cron's figures have its last success, failures since, and runs of the day", async () => {
    await using store = await openTestStore();
    const team = await aTeam(store);
    const node = await aNode(store);
    const cron = await aCron(store, team.id, { nextRunAt: TEST_START + 9_000 });
    const paused = await aCron(store, team.id, { name: 'Paused', nextRunAt: null });
    const read = async (now = store.clock.now()) => (await store.sourceFigures.read(10, now)).crons;
    const named = { team: 'Northwind', id: cron.id, name: 'Nightly report' };
    const other = { team: 'Northwind', id: paused.id, name: 'Paused', ...NEVER };
    assert.deepEqual(await read(), [{ ...named, ...NEVER }, other]);

    await runCron(store, node, cron, { status: 'failed' });
    const ran = (success: number, failed: number) => ({ runs: { success, retried: 0, failed } });
    assert.deepEqual(await read(), [{ ...named, ...NEVER, failing: 1, ...ran(0, 1) }, other]);
    await store.testClock.advance(1_000);
    await runCron(store, node, cron, { status: 'success' });
    const lastSuccessAt = TEST_START + 1_000;
    assert.deepEqual(await read(), [{ ...named, ...NEVER, lastSuccessAt, ...ran(1, 1) }, other]);
    for (let n = 0; n < 2; n++) {
      await store.testClock.advance(1_000);
      await runCron(store, node, cron, { status: 'failed' });
    }
    const last = { ...named, ...NEVER, lastSuccessAt, failing: 2 };
    assert.deepEqual(await read(), [{ ...last, ...ran(1, 3) }, other]);
    const due = { ...last, oldestDueMs: 2_000 };
    assert.deepEqual(await read(TEST_START + 11_000), [{ ...due, ...ran(1, 3) }, other]);
    const [tomorrow] = await read(TEST_START + 86_400_000);
    assert.deepEqual(tomorrow?.runs, NO_RUNS);
  });

  test('failures are counted up to a hundred; the last success may be older', async () => {
    await using store = await openTestStore();
    const { id: team_id } = await aTeam(store);
    const { id: cron_id } = await aCron(store, team_id);
    const run = { team_id, cron_id, completed_at: TEST_START };
    await fillExecutions(store, [run]);
    const failed = { ...run, status: 'failed', completed_at: TEST_START + 1_000 };
    const many = Array.from({ length: 101 }, () => failed);
    await fillExecutions(store, many);
    const [figures] = (await store.sourceFigures.read(10, TEST_START + 2_000)).crons;
    assert.deepEqual([figures?.failing, figures?.lastSuccessAt], [100, TEST_START]);
  });

  test("a queue's figures have its last success, dead letters since, oldest due job and runs of the day", async () => {
    await using store = await openTestStore();
    const team = await aTeam(store);
    const node = await aNode(store);
    await aDeadLetter(store, team.id, node);
    await store.testClock.advance(1_000);
    const job = await aClaimedJob(store, team.id, node);
    await store.runs.settle(node, aSettlement(store, job));
    await store.testClock.advance(1_000);
    await aDeadLetter(store, team.id, node);
    const { queueId } = await aJob(store, team.id);
    await aJob(store, team.id, { delaySeconds: 60 });
    const { queues } = await store.sourceFigures.read(10, store.clock.now() + 3_000);
    assert.deepEqual(queues, [
      {
        team: 'Northwind',
        id: queueId,
        name: 'emails',
        lastSuccessAt: TEST_START + 1_000,
        failing: 1,
        oldestDueMs: 3_000,
        runs: { success: 1, retried: 0, failed: 2 },
      },
    ]);
  });

  test("a team's figures have its runs of the day and its monthly usage", async () => {
    await using store = await openTestStore();
    const team = await aTeam(store);
    const idle = await aTeam(store, { name: 'Southwind', plan: 'pro' });
    const node = await aNode(store);
    await aDeadLetter(store, team.id, node);
    const { teams } = await store.sourceFigures.read(10, store.clock.now());
    const runs = { ...NO_RUNS, failed: 1 };
    assert.deepEqual(teams, [
      { id: team.id, name: 'Northwind', plan: 'free', usedInMonth: 1, runs },
      { id: idle.id, name: 'Southwind', plan: 'pro', usedInMonth: 0, runs: NO_RUNS },
    ]);
    const nextMonth = await store.sourceFigures.read(10, TEST_START + 20 * 86_400_000);
    assert.equal(nextMonth.teams[0]?.usedInMonth, 0);
  });

  test('beyond the limit of a kind the oldest have figures and the others are counted, without deleted teams', async () => {
    await using store = await openTestStore();
    const gone = await aTeam(store, { name: 'Gone' });
    const [a, b] = [await aTeam(store), await aTeam(store, { name: 'Southwind' })];
    for (const name of ['one', 'two', 'three']) await aQueue(store, b.id, { name });
    for (const { id } of [gone, a]) await aQueue(store, id, { name: 'first' });
    for (const { id } of [gone, a, b]) await aCron(store, id);
    await change(store.database, 'teams', { id: gone.id }, { deleted_at: TEST_START });
    const { crons, queues, teams, leftOut } = await store.sourceFigures.read(2, TEST_START);
    assert.deepEqual(
      queues.map(({ team, name }) => [team, name]),
      [
        ['Northwind', 'first'],
        ['Southwind', 'one'],
      ],
    );
    assert.deepEqual([crons.length, teams.length], [2, 2]);
    assert.deepEqual(leftOut, { crons: 0, queues: 2, teams: 0 });
  });
});
