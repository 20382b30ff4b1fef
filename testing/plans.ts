import pg from 'pg';
import type { RanStatement } from '#store/database/runner';
import { PLANNING } from '#store/postgres/open';

/** A node of Postgres' query plan. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'TID Cond'?: string;
  'One-Time Filter'?: string;
  /** `CTE …`, `InitPlan …` or `SubPlan …`. */
  'Subplan Name'?: string;
  Plans?: PlanNode[];
}

interface MeasuredNode extends PlanNode {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: MeasuredNode[];
}

/** A connection to Postgres that plans as a store's do. */
interface Planner extends AsyncDisposable {
  /** @param values  null: the plan that a prepared statement keeps, for any values */
  plan(sql: string, values: readonly unknown[] | null): Promise<PlanNode[]>;
  /** Runs a statement once more, and takes back what it has written. */
  measure(statement: RanStatement): Promise<MeasuredNode[]>;
}

/** @param options  the settings of the session; by default those of a store */
export async function openPlanner(url: string, options = PLANNING): Promise<Planner> {
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  const explain = async <Node>(text: string, values: readonly unknown[] | null) => {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
      values ? { text, values: [...values] } : text,
    );
    return rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => Plan));
  };
  return {
    plan: async (sql, values) => {
      if (values) return explain<PlanNode>(`explain (format json) ${sql}`, values);
      // Postgres has `generic_plan` since version 16.
      const count = Math.max(0, ...Array.from(sql.matchAll(/\$(\d+)/g), ([, n]) => Number(n)));
      const nulls = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join()})`;
      await client.query(`set plan_cache_mode = force_generic_plan; prepare planned as ${sql}`);
      const plans = await explain<PlanNode>(`explain (format json) execute planned${nulls}`, null);
      await client.query('deallocate planned; reset plan_cache_mode');
      return plans;
    },
    measure: async ({ sql, parameters }) => {
      await client.query('begin');
      const text = `explain (analyze, buffers, format json) ${sql}`;
      const plans = await explain<MeasuredNode>(text, parameters);
      await client.query('rollback');
      return plans;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** How many pages a statement touches to find waiting jobs. */
export async function pagesOfWaiting(url: string, statement: RanStatement): Promise<number> {
  return sumOf(await measure(url, statement), pagesOf);
}

/** How many pages a statement touches in all, over all parts of its plan. */
export async function pagesRead(url: string, statement: RanStatement): Promise<number> {
  return sumOf(await measure(url, statement), ownPages);
}

async function measure(url: string, statement: RanStatement): Promise<MeasuredNode[]> {
  await using planner = await openPlanner(url);
  return await planner.measure(statement);
}

function pagesOf(node: MeasuredNode): number {
  const below = sumOf(node.Plans ?? [], pagesOf);
  const isWanted = /Index Scan/.test(node['Node Type']) && node['Index Name'] === 'jobs_waiting';
  return isWanted ? below + ownPages(node) : below;
}

function ownPages(node: MeasuredNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}

function sumOf(nodes: readonly MeasuredNode[], pages: (node: MeasuredNode) => number): number {
  return nodes.reduce((sum, node) => sum + pages(node), 0);
}
