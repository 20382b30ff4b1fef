import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '#testing/ask';
import { aCron, aQueue, aTeam } from '#testing/factories';
import { openPlanner, type PlanNode } from '#testing/plans';
import { openPostgresTestStore, postgresUrl, type TestStore } from '#testing/stores';

const SOURCES = 20;

/** Makes queues and crons, and reads their counts. */
async function askOfSources(store: TestStore): Promise<void> {
  const { id: teamId } = await aTeam(store);
  let queueId = '';
  for (let n = 0; n < SOURCES; n++) {
    queueId = (await aQueue(store, teamId, { name: `q${n}` })).id;
    await aCron(store, teamId, { name: `c${n}` });
  }
  await store.sourceFigures.read(100, store.clock.now());
  await store.durations.readHours(teamId, queueId, 0);
}

const OF_SOURCES = /\boutcomes-of-(queues|crons|teams)\b|\bread-duration-hours\b/;

/** The conditions by which `batch_counts` is read, other than those that only hold for a team as a whole. */
function conditionsOf(node: PlanNode): string[] {
  if (node['One-Time Filter'] !== undefined) return [];
  const below = (node.Plans ?? []).flatMap(conditionsOf);
  const condition = node['Index Cond'];
  // A bitmap scan names the table in one node and the condition in the node below.
  if (node['Node Type'] === 'Bitmap Heap Scan') return below;
  if (node['Index Name'] === 'batch_counts_of_source') return [...below, condition ?? 'none'];
  return node['Relation Name'] === 'batch_counts' ? [...below, condition ?? 'none'] : below;
}

/** Where a statement joins keys, it compares them as rows. */
function keyCondition(sql: string): RegExp {
  return sql.includes('outcomes-of-teams') ? /team_id >= / : /source_id = |source_id\) >= ROW/;
}

const FILL = `insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, id, 0, 'success', 1, 1 from queues cross join generate_series(1, 500)`;

/** Each statement leads from the state before to this one. */
const STATISTICS: readonly [state: string, statement: string | null][] = [
  ['unknown', null],
  ['of an empty table', 'analyze batch_counts'],
  ['of a full table', `${FILL}; analyze batch_counts`],
  ['of a full table that is empty now', 'delete from batch_counts'],
];

test('counts of a queue or cron that are not added up are found by its id on Postgres, with any statistics', async () => {
  const ran = new Map<string, readonly unknown[]>();
  await using store = await openPostgresTestStore({
    isUnused: true,
    onStatement: ({ sql, parameters }) => ran.set(sql, parameters),
  });
  await askOfSources(store);
  const asked = [...ran].filter(([sql]) => OF_SOURCES.test(sql));
  assert.equal(asked.length, 4);
  await using planner = await openPlanner(postgresUrl(store));
  for (const [state, statement] of STATISTICS) {
    if (statement !== null) await ask(store, statement);
    for (const [sql, values] of asked) {
      const plans = await planner.plan(sql, values);
      const conditions = plans.flatMap(conditionsOf);
      assert.ok(conditions.length > 0);
      for (const each of conditions) {
        assert.match(each, keyCondition(sql), `${state}: ${sql}: ${JSON.stringify(plans)}`);
      }
    }
  }
});
