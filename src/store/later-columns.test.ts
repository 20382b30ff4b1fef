import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '#testing/ask';
import {
  aClaimant,
  aClaimedJob,
  aCron,
  anExecutionSettlement,
  aNode,
  aSettlement,
  aTeam,
} from '#testing/factories';
import { forEachStore } from '#testing/stores';
import type { Store } from './store.ts';

/** Every table that a prepared statement reads or writes. */
const TABLES = 'teams nodes queues crons jobs executions ended_jobs ended_executions callbacks';
const OF_ALERTS = 'notifications alerts';

/** Runs the statements that nodes and pages run all the time. */
async function work(store: Store, teamId: string, node: string): Promise<void> {
  const job = await aClaimedJob(store, teamId, node, {
    callbackUrl: 'https://example.com/callback',
  });
  await store.runs.settle(node, aSettlement(store, job));
  assert.equal((await store.jobs.find(teamId, job.id))?.status, 'success');
  await store.jobs.listAttempts(teamId, job.id);
  const cron = await aCron(store, teamId);
  await store.crons.addExecution(teamId, cron.id, store.clock.now());
  const slots = [{ id: teamId, slots: 1 }];
  const { claimed } = await store.runs.claimExecutions(slots, aClaimant(store, node));
  const [run] = claimed;
  assert.ok(run);
  await store.runs.settle(node, anExecutionSettlement(store, run));
  assert.equal((await store.crons.findExecution(teamId, run.id))?.status, 'success');
  const claim = { now: store.clock.now(), leaseMs: 1, most: 5 };
  assert.deepEqual(await store.notifications.claimDue(teamId, claim), []);
  await store.callbacks.take(node, [{ teamId, slots: 5 }]);
  await store.sourceFigures.read(10, store.clock.now());
}

forEachStore((_name, openTestStore) => {
  test('statements of this version work after a later version has added columns', async () => {
    // A copy would keep the columns for the next test.
    await using store = await openTestStore({ isEmpty: true });
    const team = await aTeam(store);
    const node = await aNode(store);
    await work(store, team.id, node);
    for (const table of `${TABLES} ${OF_ALERTS}`.split(' '))
      await ask(store, `alter table ${table} add column of_later text`);
    await work(store, team.id, node);
  });
});
