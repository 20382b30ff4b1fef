import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask, countRows } from '#testing/ask';
import { aClaimedJob, aNode, aSettlement, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { pluck } from '#testing/pluck';
import { forEachStore, openPostgresTestStore, type TestStore } from '#testing/stores';

const HOUR = 3_600_000;

/** The first ones fail. */
async function settleSome(
  store: TestStore,
  teamId: string,
  count: number,
  failures = 0,
): Promise<string> {
  const node = await aNode(store, 10 * HOUR);
  let queueId = '';
  for (let n = 0; n < count; n++) {
    // Near its limit, the team's month is counted at once.
    const job = await aClaimedJob(store, teamId, node, {}, 1000);
    queueId = job.queueId;
    const status = n < failures ? 'dead_lettered' : 'success';
    await store.runs.settle(node, aSettlement(store, job, { status, end: { durationMs: 3 } }));
  }
  return queueId;
}

/** All figures of a team's runs and of those of its queue. */
async function readAll(store: TestStore, teamId: string, queueId: string) {
  const { outcomes, durations, sourceFigures, clock } = store;
  return {
    outcomes: await outcomes.readHours(teamId, 0),
    ofQueue: await durations.readHours(teamId, queueId, 0),
    ofTeam: await durations.readHours(teamId, teamId, 0),
    figures: await sourceFigures.read(10, clock.now()),
  };
}

forEachStore((_, openTestStore) => {
  describe('counts of batches', () => {
    test('counts of batches are the same before and after adding up', async () => {
      await using store = await openTestStore();
      const [team, other] = [await aTeam(store), await aTeam(store)];
      const queueId = await settleSome(store, team.id, 3, 1);
      await store.testClock.advance(HOUR);
      await settleSome(store, team.id, 2, 1);
      await settleSome(store, other.id, 1);
      const before = await readAll(store, team.id, queueId);
      const counted = before.outcomes.map(({ outcome, runs }) => `${outcome} ${runs}`);
      assert.deepEqual(counted, ['failed 1', 'success 2', 'failed 1', 'success 1']);
      assert.equal(await store.batchCounts.addUp(4), 'more');
      assert.deepEqual(await readAll(store, team.id, queueId), before);
      await settleSome(store, team.id, 1);
      assert.equal(await store.batchCounts.addUp(4), 'nothing');
      const after = await readAll(store, team.id, queueId);
      assert.deepEqual(pluck(after.outcomes, 'runs'), [1, 2, 1, 2]);
      assert.deepEqual(after.ofTeam, after.ofQueue);
      assert.equal(await countRows(store, 'batch_counts'), 0);
      assert.equal(await countRows(store, 'outcome_hours'), 5);
    });

    test('started runs count for the month before and after they are added up', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store, 100 * HOUR);
      for (let n = 0; n < 3; n++) await aClaimedJob(store, team.id, node);
      await store.testClock.advance(24 * HOUR);
      await aClaimedJob(store, team.id, node);
      const read = async () => {
        const { usage, clock, sourceFigures, outcomes } = store;
        const figures = await sourceFigures.read(10, clock.now());
        return {
          month: await usage.usedInMonth(team.id, clock.now()),
          nextMonth: await usage.usedInMonth(team.id, clock.now() + 31 * 24 * HOUR),
          figure: figures.teams[0]?.usedInMonth,
          ended: await outcomes.readHours(team.id, 0),
        };
      };
      const expected = { month: 4, nextMonth: 0, figure: 4, ended: [] };
      assert.deepEqual(await read(), expected);
      assert.equal(await store.batchCounts.addUp(10), 'nothing');
      assert.equal(await countRows(store, 'batch_counts'), 0);
      assert.deepEqual(await read(), expected);
    });
  });
});

describe('counts of batches on Postgres', () => {
  test('counts that two nodes add up at once are counted once', async () => {
    await using store = await openPostgresTestStore();
    const team = await aTeam(store);
    const queueId = await settleSome(store, team.id, 5);
    const before = await readAll(store, team.id, queueId);
    const another = await store.openAnother();
    await Promise.all([store, another].map(({ batchCounts }) => batchCounts.addUp(10)));
    await another.close();
    assert.deepEqual(await readAll(store, team.id, queueId), before);
    await store.batchCounts.addUp(10);
    assert.equal(await countRows(store, 'batch_counts'), 0);
  });

  test('a locked counter delays adding up of its own team only', async () => {
    await using store = await openPostgresTestStore();
    const [locked, other] = [await aTeam(store), await aTeam(store)];
    for (const { id } of [locked, other]) await settleSome(store, id, 1);
    await store.batchCounts.addUp(10);
    {
      await using holder = await holdRows(store);
      await holder.query('select 1 from outcome_hours where team_id = $1 for update', [locked.id]);
      for (const { id } of [locked, other]) await settleSome(store, id, 1);
      await store.batchCounts.addUp(10);
      assert.equal(await countRows(store, `batch_counts where team_id = '${other.id}'`), 0);
      assert.equal(await countRows(store, `batch_counts where team_id = '${locked.id}'`), 1);
      const [hour] = await store.outcomes.readHours(locked.id, 0);
      assert.equal(hour?.runs, 2, 'reads include it');
    }
    await store.batchCounts.addUp(10);
    assert.equal(await countRows(store, 'batch_counts'), 0);
  });

  test('counts committed within a minute are found by a later sweep', async () => {
    await using store = await openPostgresTestStore();
    const team = await aTeam(store);
    const sweepAfter = async (ms: number) => {
      await store.testClock.advance(ms);
      await settleSome(store, team.id, 1);
      await store.batchCounts.addUp(10);
    };
    for (let n = 0; n < 3; n++) await sweepAfter(120_000);
    await using late = await holdRows(store);
    await late.query(`insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
      select team_id, id, 0, 'success', 1, 7 from queues`);
    for (const ms of [0, 30_000, 29_000]) await sweepAfter(ms);
    await late.query('commit');
    await sweepAfter(1_000);
    assert.equal(await countRows(store, 'batch_counts'), 0);
  });

  test('counts that cannot be added up do not block later ones', async () => {
    await using store = await openPostgresTestStore();
    const team = await aTeam(store);
    await settleSome(store, team.id, 3);
    // A sweep over everything also fails beside a snapshot of some hours, at the time limit.
    await ask(
      store,
      `update batch_counts set runs = ${2n ** 63n - 1n}
      where id < (select max(id) from batch_counts)`,
    );
    await assert.rejects(store.batchCounts.addUp(10), /out of range/);
    await settleSome(store, team.id, 3);
    assert.equal(await store.batchCounts.addUp(10), 'later');
    assert.equal(await countRows(store, 'batch_counts'), 2);
    await ask(store, 'update batch_counts set runs = 1');
    assert.equal(await store.batchCounts.addUp(10), 'later');
    await store.testClock.advance(120_000);
    assert.equal(await store.batchCounts.addUp(10), 'nothing');
    assert.equal(await countRows(store, 'batch_counts'), 0);
    const [hour] = await store.outcomes.readHours(team.id, 0);
    assert.equal(hour?.runs, 6);
  });
});
