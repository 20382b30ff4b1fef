import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { silentLog } from '#domain/log';
import { aClaimedJob, aNode, aSettlement, aTeam } from '#testing/factories';
import { eventually } from '#testing/process';
import { openSqliteTestStore, type TestStore } from '#testing/stores';
import { AddingUp } from './adding-up.ts';

async function settleOne(store: TestStore): Promise<void> {
  const team = await aTeam(store);
  const node = await aNode(store);
  await store.runs.settle(node, aSettlement(store, await aClaimedJob(store, team.id, node)));
}

async function areAddedUp(store: TestStore): Promise<boolean> {
  const text = 'select 1 from batch_counts limit 1';
  return (await store.database.autocommit(CompiledQuery.raw(text))).length === 0;
}

describe('adding up', () => {
  test('happens once, some seconds after the first of many runs has ended', async () => {
    const ran: string[] = [];
    await using store = await openSqliteTestStore({ onStatement: ({ sql }) => ran.push(sql) });
    const looks = () => ran.filter((sql) => sql.includes('find-batch-counts')).length;
    const addingUp = new AddingUp(store, silentLog);
    await settleOne(store);
    addingUp.expect();
    addingUp.expect();
    await store.testClock.advance(4_999);
    assert.equal(await areAddedUp(store), false);
    addingUp.expect();
    await store.testClock.advance(1);
    await eventually(() => areAddedUp(store), { what: 'the counts to be added up' });
    await store.testClock.advance(60_000);
    assert.equal(looks(), 1, 'nothing is asked while nothing runs');
    await addingUp.stop();
  });

  test('is tried again after a fault, which is logged', async () => {
    await using store = await openSqliteTestStore();
    const told: string[] = [];
    const log = { ...silentLog, warn: (event: string) => told.push(event) };
    const addingUp = new AddingUp(store, log);
    const ask = (text: string) => store.database.autocommit(CompiledQuery.raw(text));
    await settleOne(store);
    await ask('alter table outcome_hours rename to kept_hours');
    addingUp.expect();
    await store.testClock.advance(5_000);
    await eventually(() => told.length > 0, { what: 'the fault to be logged' });
    await ask('alter table kept_hours rename to outcome_hours');
    assert.equal(await areAddedUp(store), false);
    await store.testClock.advance(5_000);
    await eventually(() => areAddedUp(store), { what: 'the counts to be added up' });
    assert.deepEqual(told, ['counts.not-added-up']);
    await addingUp.stop();
  });
});
