import pg from 'pg';
import type { RanStatement } from '#store/database/database';
import { PLANNING } from '#store/postgres/open';

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/**
 * How many pages a statement touches to find waiting jobs. The statement runs once more for this, and is rolled back.
 */
export async function pagesOfWaiting(url: string, statement: RanStatement): Promise<number> {
  const plans = await explain(url, statement);
  return plans.reduce((sum, plan) => sum + pagesOf(plan), 0);
}

/** How many pages a statement touches in all, over all parts of its plan. */
export async function pagesRead(url: string, statement: RanStatement): Promise<number> {
  const plans = await explain(url, statement);
  return plans.reduce(
    (sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    0,
  );
}

async function explain(url: string, { sql, parameters }: RanStatement): Promise<PlanNode[]> {
  const client = new pg.Client({ connectionString: url, options: PLANNING });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({
      text: `explain (analyze, buffers, format json) ${sql}`,
      values: parameters as unknown[],
    });
    await client.query('rollback');
    return rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => Plan));
  } finally {
    await client.end();
  }
}

function pagesOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + pagesOf(each), 0);
  const isWanted = /Index Scan/.test(node['Node Type']) && node['Index Name'] === 'jobs_waiting';
  return isWanted ? below + node['Shared Hit Blocks'] + node['Shared Read Blocks'] : below;
}
