import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aClaimedJob, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { openPlanner, type PlanNode, type Planner } from '#testing/plans';
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

/** Runs each statement that finds jobs where they lie. */
async function runEach(store: TestStore, teamId: string): Promise<void> {
  const node = await aNode(store);
  const failed = await aClaimedJob(store, teamId, node);
  const next = { id: failed.id, scheduledAt: TEST_START };
  await store.runs.settle(node, aSettlement(store, failed, { status: 'retried', next }));
  await store.runs.settle(node, aSettlement(store, await aClaimedJob(store, teamId, node)));
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

async function waysOf(planner: Planner, statement: RanStatement | undefined): Promise<string[][]> {
  const { sql, parameters } = statement ?? { sql: '', parameters: [] };
  const plans = [await planner.plan(sql, parameters), await planner.plan(sql, null)];
  return plans.map((nodes) => nodes.flatMap((node) => waysTo('jobs', node)));
}

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
  await runEach(store, team.id);
  await using planner = await openPlanner(postgresUrl(store), '');
  for (const name of BY_PLACE) {
    for (const ways of await waysOf(planner, ran.get(name))) {
      assert.ok(
        ways.some((way) => BY_TID.test(way)),
        name,
      );
      const others = ways.filter((way) => !BY_TID.test(way) && !BY_QUEUE.test(way));
      assert.deepEqual(others, [], name);
    }
  }
});
