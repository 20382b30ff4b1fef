import { MOST_IN_STREAK, type Streak } from '#domain/alerts/health';
import type { WatchKind } from '#domain/alerts/queue-watch';
import { FAILED_JOB_STATUSES } from '#domain/runs/run-status';
import { sql } from '../database/sql.ts';
import type { Database } from '../database/database.ts';
import { type Dialect, IDS, packIds } from '../database/dialect.ts';
import { type PreparedStatement, pageStatement } from '../database/prepared.ts';
import { FAILED_JOBS } from '../runs/status-lists.ts';
import { allOf, containsText, hasTag } from './sources.ts';

export type SourceKind = 'cron' | 'queue';

/** Without the team's pause and windows. */
export interface SourceState {
  id: string;
  name: string;
  isPaused: boolean;
  /** A paused one only if failures stopped it. */
  isFailing: boolean;
  isRunning: boolean;
  /** The alert that a queue doesn't drain is open. */
  isBacklogged: boolean;
  nextAt: number | null;
}

export interface SourcesAsked {
  id?: string | undefined;
  /** A text in the name, the id or the URL of a cron; A to Z in either case. */
  text?: string | undefined;
  tag?: string | undefined;
  /**
   * False: whether something runs isn't read. While an old snapshot exists, that passes the dead index entries of all
   * jobs claimed since.
   */
  withRunning?: boolean;
}

/** A run under way is ignored. One index step. */
const CRON_FAILS = `coalesce((select e.status from ended_executions e where e.cron_id = crons.id
  order by e.id desc limit 1), 'none') = 'failed'`;

/** Failed for good after the last success and not resent. A few index steps, and one for each resent failure since. */
const QUEUE_FAILS = `exists (select 1 from ended_jobs j where j.queue_id = queues.id and j.status in ${FAILED_JOBS}
  and j.retried_as is null and j.completed_at > coalesce((select s.completed_at from ended_jobs s
    where s.queue_id = queues.id and s.status = 'success' order by s.completed_at desc limit 1), 0))`;

/** See domain/alerts/queue-watch.ts. */
const hasOpenAlert = (kind: WatchKind) => `exists (select 1 from queue_watches w
  where w.team_id = queues.team_id and w.queue_id = queues.id and w.kind = '${kind}' and w.since is not null)`;

/** Paused ones need no attention, unless failures stopped the cron. */
export const FAILING = {
  cron: `(crons.is_active = 1 or crons.stopped_after is not null) and ${CRON_FAILS}`,
  queue: `queues.is_paused = 0 and (${QUEUE_FAILS} or ${hasOpenAlert('failure_rate')})`,
} as const satisfies Record<SourceKind, string>;

interface StateRow {
  id: string;
  name: string;
  is_paused: 0 | 1;
  is_failing: 0 | 1;
  is_running: 0 | 1;
  is_backlogged: 0 | 1;
  next_at: number | null;
}

const STATES: Record<SourceKind, string> = {
  cron: `1 - is_active as is_paused, next_run_at as next_at, 0 as is_backlogged,
    case when ${FAILING.cron} then 1 else 0 end as is_failing`,
  queue: `is_paused, case when ${hasOpenAlert('backlog')} then 1 else 0 end as is_backlogged,
    (select j.scheduled_at from jobs j where j.queue_id = queues.id and j.status = 'pending'
      order by j.scheduled_at, j.id limit 1) as next_at,
    case when ${FAILING.queue} then 1 else 0 end as is_failing`,
};

/** A cron starts its runs at their time, so only queues have them. */
const RUNNING = `case when exists (
  select 1 from jobs j where j.queue_id = queues.id and j.status = 'processing') then 1 else 0 end`;

export async function listSourceStates(
  db: Database,
  teamId: string,
  kind: SourceKind,
  { id, text, tag, withRunning = true }: SourcesAsked = {},
): Promise<SourceState[]> {
  const asked = allOf(
    sql`team_id = ${teamId}`,
    id && sql`id = ${id}`,
    text && containsText(db, kind, text),
    tag && hasTag(db, tag),
  );
  const states = sql<StateRow>`select id, name, ${sql.raw(STATES[kind])},
      ${sql.raw(kind === 'queue' && withRunning ? RUNNING : '0')} as is_running
    from ${sql.raw(`${kind}s`)}
    where ${asked}
    /* ${sql.raw(kind)}-states */`;
  const rows = await db.ask(states);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isPaused: row.is_paused === 1,
    isFailing: row.is_failing === 1,
    isRunning: row.is_running === 1,
    isBacklogged: row.is_backlogged === 1,
    nextAt: row.next_at,
  }));
}

interface StreakRow {
  source_id: string;
  runs: number;
  since: number | null;
  last_run_id: string | null;
}

/** The newest success of a source: its place in the order in which its runs count. */
const LAST_SUCCESS: Record<SourceKind, string> = {
  cron: `select x.id from ended_executions x where x.cron_id = given.id and x.status = 'success'
    order by x.completed_at desc, x.id desc limit 1`,
  queue: `select x.completed_at from ended_jobs x where x.queue_id = given.id and x.status = 'success'
    order by x.completed_at desc limit 1`,
};

/** The failures after it, in ranges of an index. */
const FAILURES: Record<SourceKind, readonly string[]> = {
  cron: [
    `ended_executions x where x.cron_id = source.source_id and x.status = 'failed'
      and (source.success is null or x.id > source.success)`,
  ],
  queue: FAILED_JOB_STATUSES.map(
    (status) => `ended_jobs x where x.queue_id = source.source_id and x.status = '${status}'
      and x.retried_as is null and x.completed_at > coalesce(source.success, 0)`,
  ),
};

function streaksOf(kind: SourceKind): PreparedStatement<StreakRow> {
  const order = kind === 'cron' ? 'x.id' : 'x.completed_at';
  const pick = (way: '' | ' desc', limit: number) =>
    FAILURES[kind]
      .map(
        (failures, n) => `select * from (select x.id, x.completed_at from ${failures}
          order by ${order}${way} limit ${limit}) as picked_${n}`,
      )
      .join(' union all ');
  // SQLite takes count(*) of a union all once for all sources (count-of-view optimization).
  const write = (dialect: Dialect) => `
    with source as materialized (
      select given.id as source_id, (${LAST_SUCCESS[kind]}) as success from ${dialect.rows(IDS, 1)})
    select source.source_id,
      (select count(id) from (${pick('', MOST_IN_STREAK)}) as failures) as runs,
      (select min(completed_at) from (${pick('', 1)}) as failures) as since,
      (select id from (${pick(' desc', 1)}) as failures order by completed_at desc limit 1) as last_run_id
    from source`;
  return pageStatement(`streaks-of-${kind}s`, write);
}

const STREAKS = { cron: streaksOf('cron'), queue: streaksOf('queue') };

/** Since the last success of each source; none of sources that don't fail. */
export async function readStreaks(
  db: Database,
  kind: SourceKind,
  ids: readonly string[],
): Promise<Map<string, Streak>> {
  if (ids.length === 0) return new Map();
  const rows = await db.read(STREAKS[kind], [packIds(ids)]);
  return new Map(
    rows.flatMap(({ source_id, runs, since, last_run_id }) =>
      since === null || last_run_id === null
        ? []
        : [[source_id, { runs: Math.min(runs, MOST_IN_STREAK), since, lastRunId: last_run_id }]],
    ),
  );
}
