import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { silentLog } from '#domain/log';
import { aClaimedJob, aNode, aSettlement, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { eventually } from '#testing/process';
import { openPostgresTestStore, openSqliteTestStore, type TestStore } from '#testing/stores';
import { addUpCounts, COUNTS_GATHERED_MS } from './adding-up.ts';
import type { Repeating } from './repeating.ts';

async function settleOne(store: TestStore, teamId?: string): Promise<void> {
  const ofTeam = teamId ?? (await aTeam(store)).id;
  const node = await aNode(store);
  await store.runs.settle(
    node,
    aSettlement(store, await aClaimedJob(store, ofTeam, node, {}, 1000)),
  );
}

/** Counts as of many batches, of which each step takes a part. */
async function countMany(store: TestStore, rows: number): Promise<void> {
  await settleOne(store);
  const text = `insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
    with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n < ${rows})
    select team_id, source_id, hour, outcome, step, runs from batch_counts cross join numbers`;
  await store.database.autocommit(CompiledQuery.raw(text));
}

const MINUTE = 60_000;
/** How many steps 2,500 counts take. */
const STEPS = 3;

interface Scene extends AsyncDisposable {
  store: TestStore;
  addingUp: Repeating;
  /** How often the store was asked for counts. */
  looks: () => number;
  /** Timers that nobody else has set. */
  timers: () => number;
}

/** The statements of a step. */
const STATEMENTS = ['find-batch-counts', 'take-batch-counts', 'add-outcomes', 'add-durations'];

/**
 * Opens a store with 2,500 counts.
 *
 * @param duringStep  called with the name of each statement of a step, while the step is under way
 */
async function openScene(
  duringStep: (addingUp: Repeating, statement: string) => void,
): Promise<Scene> {
  let looks = 0;
  const store = await openSqliteTestStore({
    onStatement: ({ sql }) => {
      const statement = STATEMENTS.find((name) => sql.includes(name));
      if (statement === undefined) return;
      if (statement === STATEMENTS[0]) looks++;
      duringStep(addingUp, statement);
    },
  });
  const addingUp = addUpCounts(store, silentLog);
  await countMany(store, 2_500);
  const others = store.testClock.waiting;
  return {
    store,
    addingUp,
    looks: () => looks,
    timers: () => store.testClock.waiting - others,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function countLeft(store: TestStore): Promise<number> {
  return (await store.database.autocommit(CompiledQuery.raw('select 1 from batch_counts'))).length;
}

async function areAddedUp(store: TestStore): Promise<boolean> {
  return (await countLeft(store)) === 0;
}

describe('adding up', () => {
  test('counts are folded once, seconds after the first of many runs ended', async () => {
    const ran: string[] = [];
    await using store = await openSqliteTestStore({ onStatement: ({ sql }) => ran.push(sql) });
    const looks = () => ran.filter((sql) => sql.includes('find-batch-counts')).length;
    const addingUp = addUpCounts(store, silentLog);
    await settleOne(store);
    addingUp.start(COUNTS_GATHERED_MS);
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(4_999);
    assert.equal(await areAddedUp(store), false);
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(1);
    await eventually(() => areAddedUp(store), { what: 'the counts to be added up' });
    await store.testClock.advance(60_000);
    assert.equal(looks(), 1, 'nothing is asked while nothing runs');
    await addingUp.stop();
  });

  test('folding counts is retried after an error, which is logged', async () => {
    await using store = await openSqliteTestStore();
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (event: string) => warnings.push(event) };
    const addingUp = addUpCounts(store, log);
    const ask = (text: string) => store.database.autocommit(CompiledQuery.raw(text));
    await settleOne(store);
    await ask('alter table outcome_hours rename to kept_hours');
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(5_000);
    await eventually(() => warnings.length > 0, { what: 'the fault to be logged' });
    await ask('alter table kept_hours rename to outcome_hours');
    assert.equal(await areAddedUp(store), false);
    await store.testClock.advance(5_000);
    await eventually(() => areAddedUp(store), { what: 'the counts to be added up' });
    assert.deepEqual(warnings, ['counts.not-added-up']);
    await addingUp.stop();
  });

  test('adding up continues until a locked counter is free', async () => {
    const ran: string[] = [];
    await using store = await openPostgresTestStore({ onStatement: ({ sql }) => ran.push(sql) });
    const tries = () => ran.filter((sql) => sql.includes('add-outcomes')).length;
    const addingUp = addUpCounts(store, silentLog);
    const { id } = await aTeam(store);
    await settleOne(store, id);
    await store.batchCounts.addUp(10);
    await settleOne(store, id);
    {
      await using holder = await holdRows(store);
      await holder.query('select 1 from outcome_hours for update');
      addingUp.start(COUNTS_GATHERED_MS);
      await store.testClock.advance(5_000);
      // The one above, one of the step, and one of the team by itself.
      await eventually(() => tries() === 3, { what: 'the team to be found locked' });
    }
    assert.equal(await areAddedUp(store), false);
    await store.testClock.advance(5_000);
    await eventually(() => areAddedUp(store), { what: 'the counts to be added up' });
    await addingUp.stop();
  });

  test('folding counts uses one timer while runs keep ending', async () => {
    await using scene = await openScene((addingUp) => addingUp.start(COUNTS_GATHERED_MS));
    const { store, addingUp, looks, timers } = scene;
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(5_000);
    assert.deepEqual([looks(), timers()], [1, 1]);
    await store.testClock.advance(1_000);
    assert.deepEqual([looks(), timers()], [STEPS, 1]);
    assert.equal(await areAddedUp(store), true);
    await store.testClock.advance(MINUTE);
    assert.deepEqual([looks(), timers()], [STEPS + 12, 1], 'every five seconds');
    await addingUp.stop();
  });

  test('folding counts that is stopped between two steps reads nothing more', async () => {
    await using scene = await openScene((addingUp) => addingUp.start(COUNTS_GATHERED_MS));
    const { store, addingUp, looks, timers } = scene;
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(5_000);
    await addingUp.stop();
    assert.equal(timers(), 0);
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(MINUTE);
    assert.deepEqual([looks(), timers()], [1, 0]);
  });

  test('folding counts that is stopped during a step completes it and reads nothing more', async () => {
    const events: string[] = [];
    await using scene = await openScene((addingUp, sql) => {
      events.push(sql);
      if (events.length > 1) return;
      addingUp.start(COUNTS_GATHERED_MS);
      void addingUp.stop().then(() => events.push('stopped'));
    });
    const { store, addingUp, timers } = scene;
    addingUp.start(COUNTS_GATHERED_MS);
    await store.testClock.advance(5_000 + MINUTE);
    assert.deepEqual(events, [...STATEMENTS, 'stopped']);
    assert.equal(timers(), 0);
    assert.equal(await countLeft(store), 1_500);
  });
});
