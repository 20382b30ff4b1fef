import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { aClaimedJob, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { openPlanner, type PlanNode, type Planner } from '#testing/plans';
import { openPostgresTestStore, postgresUrl, TEST_START, type TestStore } from '#testing/stores';
import type { RanStatement } from '../database/database.ts';

/** Without `enable_seqscan = off` plans read a table of this size whole. */
const JOBS = 10_000;

/** Makes a backlog that is not due, and lets Postgres know of it. */
async function fill(store: TestStore, teamId: string, queueId: string): Promise<void> {
  const ask = (text: string) => store.database.autocommit(CompiledQuery.raw(text));
  await ask(`insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
      created_at, scheduled_at)
    select '${teamId}', id, id, 1, '${queueId}', 'pending', 'POST', 'http://target.example/',
      ${TEST_START}, ${TEST_START + 3_600_000} + n
    from (select gen_random_uuid() as id, n from generate_series(1, ${JOBS}) as n) as given`);
  await ask('analyze');
}

/** Runs each statement that looks up waiting or running jobs by their keys. */
async function runEach(store: TestStore, teamId: string): Promise<void> {
  const node = await aNode(store);
  const failed = await aClaimedJob(store, teamId, node);
  const next = { id: failed.id, scheduledAt: TEST_START };
  await store.runs.settle(node, aSettlement(store, failed, { status: 'retried', next }));
  await store.runs.settle(node, aSettlement(store, await aClaimedJob(store, teamId, node)));
  for (const isRetried of [true, false]) {
    const moved = { ...(await aClaimedJob(store, teamId, node)), place: '(0,0)' };
    const again = isRetried ? { id: moved.id, scheduledAt: TEST_START } : null;
    await store.runs.settle(node, aSettlement(store, moved, { next: again }));
  }
  await aClaimedJob(store, teamId, node);
  await store.nodes.releaseLostClaims(node, new Set());
}

/** The statements that look up jobs by their keys, and those that find them where they lie. */
const BY_KEY = ['end-jobs-at-once', 'end-jobs-with-follow-ups', 'put-back-jobs'];
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

const BY_ROW = /^\(\(ROW\(team_id, id\) >= ROW\(.*\) AND \(ROW\(team_id, id\) <= ROW\(.*\)\)$/;
const BY_TID = /^\((ends\.place = ctid|ctid = .*)\)$/;
const BY_QUEUE = /queue_id = /;

/** Runs each statement once, on a large table with statistics. */
async function runOnLargeTable() {
  const ran = new Map<string, RanStatement>();
  const store = await openPostgresTestStore({
    onStatement: (each) => {
      const name = /^\/\* ([\w-]+) \*\//.exec(each.sql)?.[1];
      if (name !== undefined) ran.set(name, each);
    },
  });
  const team = await aTeam(store);
  await fill(store, team.id, (await aQueue(store, team.id, { name: 'full' })).id);
  await runEach(store, team.id);
  return { store, ran };
}

async function waysOf(planner: Planner, statement: RanStatement | undefined): Promise<string[][]> {
  const { sql, parameters } = statement ?? { sql: '', parameters: [] };
  const plans = [await planner.plan(sql, parameters), await planner.plan(sql, null)];
  return plans.map((nodes) => nodes.flatMap((node) => waysTo('jobs', node)));
}

test('statements find jobs by key or place in a large table with statistics', async () => {
  const { store, ran } = await runOnLargeTable();
  await using _closing = store;
  await using planner = await openPlanner(postgresUrl(store));
  for (const name of [...BY_KEY, ...BY_PLACE]) {
    const wanted = BY_KEY.includes(name) ? BY_ROW : BY_TID;
    for (const ways of await waysOf(planner, ran.get(name))) {
      const others = ways.filter((way) => !wanted.test(way) && !BY_QUEUE.test(way));
      assert.deepEqual(others, [], name);
      assert.ok(
        ways.some((way) => wanted.test(way)),
        name,
      );
    }
  }
});

test('claims and settlements read no table of jobs whole if a session has lost its settings', async () => {
  const { store, ran } = await runOnLargeTable();
  await using _closing = store;
  await using planner = await openPlanner(postgresUrl(store), '');
  for (const name of BY_PLACE) {
    for (const ways of await waysOf(planner, ran.get(name))) {
      const others = ways.filter((way) => !BY_TID.test(way) && !BY_QUEUE.test(way));
      assert.deepEqual(others, [], name);
    }
  }
});
