import { FAILED_JOB_STATUSES } from '#domain/runs/run-status';
import type { Dialect } from '../database/dialect.ts';
import type { Row } from '../tables/tables.ts';
import { IS_ENDED } from './outcomes.ts';
import { boundsOfMonth, startsOf, usedBy } from './usage.ts';
import type { Context } from '../database/context.ts';
import { DAY_MS } from '#domain/base/instant';
import { pageStatement } from '../database/prepared.ts';

const LONGEST_STREAK = 100;

export type OutcomeCounts = Record<Row<'outcome_hours'>['outcome'], number>;

export interface SourceFigures {
  team: string;
  id: string;
  name: string;
  lastSuccessAt: number | null;
  /** At most `LONGEST_STREAK`; of a queue that many of each failed status. */
  failing: number;
  oldestDueMs: number;
  /** Since midnight UTC, sent ones only. */
  runs: OutcomeCounts;
}

export interface TeamFigures {
  id: string;
  name: string;
  plan: string;
  usedInMonth: number;
  runs: OutcomeCounts;
}

/** The oldest teams first, and how many of each are left out. */
export interface EachSource {
  crons: SourceFigures[];
  queues: SourceFigures[];
  teams: TeamFigures[];
  leftOut: Record<'crons' | 'queues' | 'teams', number>;
}

interface Picked extends Omit<SourceFigures, 'oldestDueMs' | 'runs'> {
  dueAt: number | null;
}

/** By team and id, so the same ones are reported each time. $1 limit */
function pick(dialect: Dialect, table: 'crons' | 'queues', columns: readonly string[]): string {
  const of = {
    table,
    as: 'source',
    columns: ['id', 'name', ...columns],
    pick: (names: string) =>
      `select ${names} from ${table} x where x.team_id = t.id order by x.id limit ${dialect.$(1)}`,
  };
  const own = of.columns.map((name) => `source.${name}`).join(', ');
  return `
  select t.id as team_id, t.name as team, ${own} from teams t ${dialect.joinPicked(of)}
  where t.deleted_at is null order by t.id, source.id limit ${dialect.$(1)}`;
}

const ENDS = {
  crons: { table: 'ended_executions', column: 'cron_id', failures: ['failed'] },
  queues: { table: 'ended_jobs', column: 'queue_id', failures: FAILED_JOB_STATUSES },
} as const;

/** Its own next time, or that of its earliest waiting job. */
const NEXT_AT = {
  crons: 'picked.next_run_at',
  queues: `(select j.scheduled_at from jobs j where j.queue_id = picked.id and j.status = 'pending'
    order by j.scheduled_at, j.id limit 1)`,
};

/** A few index steps for each, and one for each counted failure. $1 most, $2 now */
const readSources = (kind: 'crons' | 'queues') =>
  pageStatement<Picked>(`figures-of-${kind}`, (dialect) => {
    const { table, column, failures } = ENDS[kind];
    const failedSince = failures.map(
      (status) => `(
    select count(*) from (
      select 1 from ${table} x where x.${column} = looked.id and x.status = '${status}'
        and x.completed_at > coalesce(looked.last_success, 0) limit ${LONGEST_STREAK}) as since)`,
    );
    return `
  with picked as materialized (${pick(dialect, kind, kind === 'crons' ? ['next_run_at'] : [])}),
  looked as materialized (
    select picked.*, ${NEXT_AT[kind]} as next_at, (
      select x.completed_at from ${table} x where x.${column} = picked.id and x.status = 'success'
      order by x.completed_at desc limit 1) as last_success
    from picked)
  select team, id, name, last_success as "lastSuccessAt",
    case when next_at <= ${dialect.$(2, 'bigint')} then next_at end as "dueAt",
    ${failedSince.join(' + ')} as failing
  from looked`;
  });
const readCrons = readSources('crons');
const readQueues = readSources('queues');

interface Counted {
  id: string;
  outcome: Row<'outcome_hours'>['outcome'];
  runs: number;
}

/**
 * An index range for each: rows per hour of the day, and those not added up. `$2` is the first hour.
 * @param key columns of `picked` for the look-up, the last one for the id
 */
function countPicked(
  dialect: Dialect,
  table: 'duration_hours' | 'outcome_hours',
  key: readonly string[],
): string {
  const id = `picked.${key.at(-1)}`;
  const hasKey = key.map((column) => `d.${column} = picked.${column}`).join(' and ');
  const wasSent = table === 'duration_hours' ? 'and d.step is not null' : '';
  const ofTable = (counts: string, condition: string) => `
  select ${id} as id, d.outcome, cast(sum(d.runs) as bigint) as runs
  from picked cross join ${counts} d
  where ${condition} and d.hour >= ${dialect.$(2)} ${wasSent} group by ${id}, d.outcome`;
  return `${ofTable(table, hasKey)}
  union all ${ofTable('batch_counts', `${dialect.hasKeyOf('d', 'picked', key)} and ${IS_ENDED}`)}`;
}

/** $1 most, $2 the first hour */
const countOf = (table: 'crons' | 'queues') =>
  pageStatement<Counted>(
    `outcomes-of-${table}`,
    (dialect) => `
  with picked (team_id, team, source_id, name) as materialized (${pick(dialect, table, [])})
  ${countPicked(dialect, 'duration_hours', ['team_id', 'source_id'])}`,
  );
const countOfCrons = countOf('crons');
const countOfQueues = countOf('queues');

const pickTeams = (dialect: Dialect) => `
  select id, name, plan from teams where deleted_at is null order by id limit ${dialect.$(1)}`;

/** $1 most, $2 the first hour */
const countOfTeams = pageStatement<Counted>(
  'outcomes-of-teams',
  (dialect) => `
  with picked (team_id, name, plan) as materialized (${pickTeams(dialect)})
  ${countPicked(dialect, 'outcome_hours', ['team_id'])}`,
);

/** $1 most, $2 month, $3 its first hour, $4 the first hour of the next month */
const readTeams = pageStatement<{ id: string; name: string; plan: string; used: number }>(
  'figures-of-teams',
  (dialect) => `
  with picked as materialized (${pickTeams(dialect)})
  select id, name, plan, cast(${usedBy('picked.id', dialect.$(2))} + coalesce((
    select sum(runs) from ${startsOf('picked.id', dialect)}), 0) as bigint) as used
  from picked`,
);

const countOwned = (table: 'crons' | 'queues') => `(
    select cast(coalesce(sum(own), 0) as bigint) from (
      select (select count(*) from ${table} x where x.team_id = t.id) as own
      from teams t where t.deleted_at is null) as counted) as ${table}`;

/** One index range per team. */
const countSources = pageStatement<EachSource['leftOut']>(
  'count-sources',
  () => `
  select ${countOwned('crons')}, ${countOwned('queues')},
    (select count(*) from teams where deleted_at is null) as teams`,
);

export const sourceFigures = {
  async read({ searches }: Context, most: number, now: number): Promise<EachSource> {
    const midnight = now - (now % DAY_MS);
    return searches.read(async (db) => {
      const crons = await db.rows(readCrons, [most, now]);
      const ofCrons = outcomesBySource(await db.rows(countOfCrons, [most, midnight]));
      const queues = await db.rows(readQueues, [most, now]);
      const ofQueues = outcomesBySource(await db.rows(countOfQueues, [most, midnight]));
      const teams = await db.rows(readTeams, [most, ...boundsOfMonth(now)]);
      const ofTeams = outcomesBySource(await db.rows(countOfTeams, [most, midnight]));
      const [all] = await db.rows(countSources, []);
      const leftOut = (kind: keyof EachSource['leftOut']) => Math.max(0, (all?.[kind] ?? 0) - most);
      return {
        crons: crons.map((row) => figuresOf(row, ofCrons(row.id), now)),
        queues: queues.map((row) => figuresOf(row, ofQueues(row.id), now)),
        teams: teams.map(({ id, name, plan, used }) => {
          return { id, name, plan, usedInMonth: used, runs: ofTeams(id) };
        }),
        leftOut: { crons: leftOut('crons'), queues: leftOut('queues'), teams: leftOut('teams') },
      };
    });
  },
};

function figuresOf({ dueAt, ...row }: Picked, runs: OutcomeCounts, now: number): SourceFigures {
  return { ...row, oldestDueMs: now - (dueAt ?? now), runs };
}

function outcomesBySource(rows: readonly Counted[]): (id: string) => OutcomeCounts {
  const counts = new Map<string, OutcomeCounts>();
  const none = () => ({ success: 0, retried: 0, failed: 0 });
  for (const { id, outcome, runs } of rows) {
    const own = counts.get(id) ?? none();
    own[outcome] += runs;
    counts.set(id, own);
  }
  return (id) => counts.get(id) ?? none();
}
