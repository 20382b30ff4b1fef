import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { ask } from '#testing/ask';
import { aClaimedJob, aNode, aSettlement, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { eventually } from '#testing/process';
import { openPostgresTestStore, openSqliteTestStore, type TestStore } from '#testing/stores';
import { addUpCounts, COUNTS_GATHERED_MS } from './adding-up.ts';

async function settleOne(store: TestStore, teamId?: string): Promise<void> {
  const ofTeam = teamId ?? (await aTeam(store)).id;
  const node = await aNode(store);
  await store.runs.settle(
    node,
    aSettlement(store, await aClaimedJob(store, ofTeam, node, {}, 1000)),
  );
}

async function areAddedUp(store: TestStore): Promise<boolean> {
  const left = await ask(store, 'select 1 from batch_counts');
  return left.length === 0;
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
      // More than the one above.
      const wasLocked = () => tries() > 1 && !addingUp.isRunning;
      await eventually(wasLocked, { what: 'the team to be found locked' });
    }
    assert.equal(await areAddedUp(store), false);
    await store.testClock.advance(5_000);
    await eventually(() => areAddedUp(store), { what: 'the counts to be added up' });
    await addingUp.stop();
  });
});
