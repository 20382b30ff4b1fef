import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { fillJobs } from '#testing/fill';
import { aClaimant, aNode, aQueue, aTeam } from '#testing/makers';
import { openPostgresTestStore, postgresUrl } from '#testing/stores';
import type { RanStatement } from './database.ts';
import { PLANNING } from './postgres/open.ts';

const COUNT = 20_000;

/**
 * The entry of a job that was claimed stays in the index of waiting jobs until a vacuum, or until its page is
 * wanted for another. A busy queue leaves hundreds of thousands of them.
 */
describe('claims on Postgres beside what was claimed before', { timeout: 60_000 }, () => {
  test('a claim that begins where the last one ended does not go through it', async () => {
    const ran: RanStatement[] = [];
    await using store = await openPostgresTestStore({
      isEmpty: true,
      onStatement: (each) => ran.push(each),
    });
    const team = await aTeam(store);
    const node = await aNode(store);
    const { id: queueId } = await aQueue(store, team.id, { name: 'busy' });
    const waiting = { team_id: team.id, queue_id: queueId };
    const jobs = Array.from({ length: COUNT }, (_, n) => ({ ...waiting, scheduled_at: n + 1 }));
    await fillJobs(store, jobs);
    await store.database.runAlone(CompiledQuery.raw('vacuum jobs'));
    const claim = (seats: number, from: number) =>
      store.jobs.claimDue([{ queueId, seats, from }], aClaimant(store, node));
    let from = 0;
    for (let left = COUNT - 500; left > 0; left -= 500) {
      from = (await claim(500, from)).queues[0]?.nextDueAt ?? Number.NaN;
    }
    ran.length = 0;
    await claim(1, from);
    await claim(1, 0);
    const claims = ran.filter(({ sql }) => sql.includes('claim-jobs-at-once'));
    const [behind = Number.NaN, through = Number.NaN] = await Promise.all(
      claims.map((each) => countPagesOfWaiting(postgresUrl(store), each)),
    );
    assert.ok(behind <= 8, `${behind} pages`);
    assert.ok(through > 10 * behind, `${through} pages, where nothing is to be saved`);
  });
});

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** The pages that a statement touches to find jobs that wait. It runs once more for that, and is undone. */
async function countPagesOfWaiting(
  url: string,
  { sql, parameters }: RanStatement,
): Promise<number> {
  const client = new pg.Client({ connectionString: url, options: PLANNING });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({
      text: `explain (analyze, buffers, format json) ${sql}`,
      values: parameters as unknown[],
    });
    await client.query('rollback');
    const plans = rows.flatMap((row) => row['QUERY PLAN']);
    return plans.reduce((sum, { Plan }) => sum + pagesOf(Plan), 0);
  } finally {
    await client.end();
  }
}

function pagesOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + pagesOf(each), 0);
  const isWanted = /Index Scan/.test(node['Node Type']) && node['Index Name'] === 'jobs_waiting';
  return isWanted ? below + node['Shared Hit Blocks'] + node['Shared Read Blocks'] : below;
}
