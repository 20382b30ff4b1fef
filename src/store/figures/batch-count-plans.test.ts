import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { ask } from '#testing/ask';
import { aCron, aQueue, aTeam } from '#testing/factories';
import { openPlanner, type PlanNode } from '#testing/plans';
import {
  openPostgresTestStore,
  openSqliteTestStore,
  postgresUrl,
  type TestStore,
} from '#testing/stores';

const SOURCES = 20;

/** Makes queues and crons, and gives one of the queues. */
async function makeSources(store: TestStore): Promise<{ teamId: string; queueId: string }> {
  const { id: teamId } = await aTeam(store);
  let queueId = '';
  for (let n = 0; n < SOURCES; n++) {
    queueId = (await aQueue(store, teamId, { name: `q${n}` })).id;
    await aCron(store, teamId, { name: `c${n}` });
  }
  return { teamId, queueId };
}

/** Asks what looks up the counts of single queues and crons. */
async function askOfSources(
  store: TestStore,
  { teamId, queueId }: { teamId: string; queueId: string },
): Promise<void> {
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

function searchesOf(sql: string): string[] {
  if (sql.includes('outcomes-of-teams')) return ['(team_id=?)'];
  // Durations are also asked for all of a team; nothing is found where the source is not the team.
  const ofTeam = sql.includes('read-duration-hours') ? ['(team_id=?)'] : [];
  return ['(team_id=? AND source_id=?)', ...ofTeam];
}

describe('the counts of a queue or cron that are not added up are looked up by its id', () => {
  test('figures of sources use the index on Postgres, with any statistics', async () => {
    const ran = new Map<string, readonly unknown[]>();
    await using store = await openPostgresTestStore({
      isUnused: true,
      onStatement: ({ sql, parameters }) => ran.set(sql, parameters),
    });
    await askOfSources(store, await makeSources(store));
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

  test('figures of sources use the index on SQLite', async () => {
    const ran = new Set<string>();
    await using store = await openSqliteTestStore({ onStatement: ({ sql }) => ran.add(sql) });
    await askOfSources(store, await makeSources(store));
    const path = store.location.kind === 'sqlite' ? store.location.path : '';
    using database = new DatabaseSync(path, { readOnly: true });
    const asked = [...ran].filter((sql) => OF_SOURCES.test(sql));
    assert.equal(asked.length, 4);
    for (const sql of asked) {
      const rows = database.prepare(`explain query plan ${sql}`).all();
      const details = rows.map(({ detail }) => String(detail));
      const searches = details.flatMap(
        (each) => /batch_counts_of_source (.*)/.exec(each)?.[1] ?? [],
      );
      assert.deepEqual(searches, searchesOf(sql));
    }
  });
});
