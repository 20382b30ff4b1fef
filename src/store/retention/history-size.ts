import { DAY_MS } from '#domain/base/instant';
import { cutHistory } from '#domain/runs/history-size';
import type { Context } from '../database/context.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import type { DatabaseSize } from '../database/inspection.ts';
import type { Ask } from '../database/inspect-tables.ts';
import { preparedStatement } from '../database/prepared.ts';
import { IS_ENDED } from '../figures/outcomes.ts';
import { endedExecutions, endedJobs } from '../tables/work.ts';

type Measured = Pick<DatabaseSize, 'bytes' | 'usedBytes'>;

/** By database; none of them reads a table through. */
const MEASURES = { sqlite: measureFile, postgres: measureTables };

const PAGES = `
  select page_count * page_size as bytes, (page_count - freelist_count) * page_size as used
  from pragma_page_count, pragma_freelist_count, pragma_page_size`;

async function measureFile(ask: Ask): Promise<Measured> {
  const [row] = (await ask(PAGES)) as { bytes: number; used: number }[];
  return { bytes: Number(row?.bytes), usedBytes: Number(row?.used) };
}

const LIVE_ROWS = `case pg_stat_get_live_tuples(c.oid) when 0 then greatest(c.reltuples, 0)
  else pg_stat_get_live_tuples(c.oid) end`;
const HISTORY = `case when c.relname like 'ended\\_jobs%' then 'ended_jobs'
  when c.relname = 'ended_executions' then 'ended_executions' end`;

const TABLE_SIZES = `
  select ${HISTORY} as history, sum(pg_total_relation_size(c.oid))::double precision as bytes,
    sum(pg_table_size(c.oid))::double precision as stored,
    sum(pg_relation_size(c.oid) / 8192)::double precision as pages,
    sum(${LIVE_ROWS})::double precision as live
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  group by history`;

type TableSize = {
  history: keyof typeof ROW_BYTES | null;
  bytes: number;
  stored: number;
  pages: number;
  live: number;
};

/** With the row's header. A long value counts as stored, and isn't read. */
const bytesOfRow = (columns: object) =>
  ['28', ...Object.keys(columns).map((name) => `coalesce(pg_column_size(${name}), 0)`)].join(' + ');

const ROW_BYTES = {
  ended_jobs: bytesOfRow(endedJobs.columns),
  ended_executions: bytesOfRow(endedExecutions.columns),
};

const SAMPLED_PAGES = 200;
/** Of a table from which nothing was deleted: rows and headers of pages leave some room. */
const FULL = 0.9;

/** Deletions don't shrink tables, so the used space is estimated from the live rows and a sample of them. */
async function measureTables(ask: Ask): Promise<Measured> {
  const sizes = (await ask(TABLE_SIZES)) as TableSize[];
  let [bytes, usedBytes] = [0, 0];
  for (const size of sizes) {
    bytes += size.bytes;
    usedBytes += size.bytes * (await partInUse(ask, size));
  }
  return { bytes, usedBytes: Math.round(usedBytes) };
}

async function partInUse(ask: Ask, { history, stored, pages, live }: TableSize) {
  if (history === null || pages === 0) return 1;
  const percent = Math.min(100, (100 * SAMPLED_PAGES) / pages);
  const [row] = (await ask(`
    select avg(${ROW_BYTES[history]})::double precision as bytes
    from ${history} tablesample system (${percent})`)) as { bytes: number | null }[];
  return Math.min(1, ((row?.bytes ?? 0) * live) / (stored * FULL));
}

/** For reports: it reads an index of SQLite through. */
export async function inspectSize(ask: Ask, dialect: Dialect, now: number): Promise<DatabaseSize> {
  return {
    ...(await MEASURES[dialect.name](ask)),
    endedRuns: await countEndedRuns(ask, dialect),
    runsOfWeek: await countRunsOfWeek(ask, dialect, now),
  };
}

const ENDED_RUNS = {
  sqlite:
    'select (select count(*) from ended_jobs) + (select count(*) from ended_executions) as runs',
  postgres: `
    select coalesce(sum(${LIVE_ROWS}), 0)::double precision as runs from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relname like 'ended\\_%'`,
};

async function countEndedRuns(ask: Ask, { name }: Dialect): Promise<number> {
  const [row] = await ask(ENDED_RUNS[name]);
  return Number(row?.['runs']);
}

async function countRunsOfWeek(ask: Ask, { $ }: Dialect, now: number): Promise<number> {
  const runsIn = (table: string, condition = '') =>
    `(select coalesce(sum(runs), 0) from ${table} where hour >= ${$(1)} ${condition})`;
  const [row] = await ask(
    `select ${runsIn('outcome_hours')} + ${runsIn('batch_counts', `and ${IS_ENDED}`)} as runs`,
    now - 7 * DAY_MS,
  );
  return Number(row?.['runs']);
}

const END_OF_OLDEST = preparedStatement<{ at: number | null }>('find-end-of-oldest-run', () => {
  const ofQueues = ['success', 'retried', 'dead_lettered', 'failed'].map(
    (status) => `
      select (select j.completed_at from ended_jobs j
        where j.queue_id = q.id and j.status = '${status}' order by j.completed_at limit 1) as at
      from queues q`,
  );
  const ofCrons = `select (select e.completed_at from ended_executions e where e.status <> '' and e.completed_at > 0
      order by e.completed_at limit 1) as at`;
  return `select min(at) as at from (${[...ofQueues, ofCrons].join(' union all ')}) as ends`;
});

interface SizeLook extends Measured {
  /** See `cutHistory`. */
  cut: number | null;
}

export async function lookAtSize(
  { searches }: Context,
  maxBytes: number,
  now: number,
): Promise<SizeLook> {
  const measured = await withAsk(searches, MEASURES[searches.dialect.name]);
  if (measured.usedBytes <= maxBytes) return { ...measured, cut: null };
  const [oldest] = await searches.read(END_OF_OLDEST, []);
  const oldestAt = oldest?.at ?? null;
  return { ...measured, cut: cutHistory({ ...measured, maxBytes, oldestAt, now }) };
}

export async function readSize({ searches }: Context, now: number): Promise<DatabaseSize> {
  return withAsk(searches, (ask) => inspectSize(ask, searches.dialect, now));
}

function withAsk<T>(searches: Database, work: (ask: Ask) => Promise<T>): Promise<T> {
  return searches.read((reader) =>
    work(async (text, ...parameters) => {
      const { rows } = await reader.run(text, parameters);
      return rows as Record<string, unknown>[];
    }),
  );
}
