import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aClaimedJob, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { openPlanner, type PlanNode } from '#testing/plans';
import { openPostgresTestStore, postgresUrl, TEST_START, type TestStore } from '#testing/stores';
import type { RanStatement } from '../database/runner.ts';

/** Without `enable_seqscan = off` plans read a table of this size whole. */
const JOBS = 10_000;

/** Makes a backlog that is not due, and lets Postgres know of it. */
async function fill(store: TestStore, teamId: string, queueId: string): Promise<void> {
  const ask = (text: string) => store.database.autocommit(text);
  await ask(`insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
      created_at, scheduled_at)
    select '${teamId}', id, id, 1, '${queueId}', 'pending', 'POST', 'http://target.example/',
      ${TEST_START}, ${TEST_START + 3_600_000} + n
    from (select gen_random_uuid() as id, n from generate_series(1, ${JOBS}) as n) as given`);
  await ask('analyze');
}

const BY_PLACE = [
  'claim-jobs-at-once',
  'end-jobs-by-place-at-once',
  'end-jobs-by-place-with-follow-ups',
];

function waysTo(table: string, node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap((each) => waysTo(table, each));
  const isScan = node['Relation Name'] === table && node['Node Type'].endsWith('Scan');
  return isScan ? [...below, node['Index Cond'] ?? node['TID Cond'] ?? node['Node Type']] : below;
}

const BY_TID = /^\((ends\.place = ctid|ctid = .*)\)$/;
const BY_QUEUE = /queue_id = /;

test('claims and settlements find jobs by place in a large table, if a session has lost its settings', async () => {
  const ran = new Map<string, RanStatement>();
  await using store = await openPostgresTestStore({
    onStatement: (each) => {
      const name = /^\/\* ([\w-]+) \*\//.exec(each.sql)?.[1];
      if (name !== undefined) ran.set(name, each);
    },
  });
  const team = await aTeam(store);
  await fill(store, team.id, (await aQueue(store, team.id, { name: 'full' })).id);
  const node = await aNode(store);
  for (const status of ['retried', 'success'] as const) {
    const job = await aClaimedJob(store, team.id, node);
    const next = status === 'retried' ? { id: job.id, scheduledAt: TEST_START } : null;
    await store.runs.settle(node, aSettlement(store, job, { status, next }));
  }
  await using planner = await openPlanner(postgresUrl(store), '');
  for (const name of BY_PLACE) {
    const { sql, parameters } = ran.get(name) ?? assert.fail(name);
    for (const values of [parameters, null]) {
      const ways = (await planner.plan(sql, values)).flatMap((node) => waysTo('jobs', node));
      const others = ways.filter((way) => !BY_TID.test(way));
      assert.ok(others.length < ways.length, name);
      assert.ok(
        others.every((way) => BY_QUEUE.test(way)),
        `${name}: ${others.join()}`,
      );
    }
  }
});
