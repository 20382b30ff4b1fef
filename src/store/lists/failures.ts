import type { FailureReason } from '#domain/judging/failure';
import type { Database } from '../database/database.ts';
import { firstKey, mergeKeys, type MergedKey } from './key-merge.ts';
import { rangesOf, withoutEmpty } from './ranges.ts';
import { findSourceIds } from './sources.ts';
import { FAILED_JOBS } from '../runs/status-lists.ts';
import { FIRST_ID } from '#domain/base/ids';
import { sql } from '../database/sql.ts';

export interface FailureGroup {
  reason: FailureReason | 'unknown';
  /** Without the query. */
  target: string;
  statusCode: number | null;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** 24 equal steps, earliest first. */
  series: number[];
  queueIds: string[];
  /** Of the newest. */
  errorMessage: string | null;
  /** For a sample of the response. */
  lastJobId: string;
}

export interface FailureGroups {
  groups: FailureGroup[];
  /** The time of the oldest counted failure, if there are more. */
  countedBackTo: number | null;
}

const MOST_FAILURES = 5_000;
const MOST_GROUPS = 100;
const STEPS = 24;

interface FailureRow {
  id: string;
  queue_id: string;
  reason: FailureReason | null;
  target: string;
  response_status: number | null;
  error_message: string | null;
  at: number;
}

interface FailuresAsked {
  queueId?: string | undefined;
  from: number;
  to: number;
}

/** Jobs that weren't resent, largest group first. */
export async function groupFailures(
  db: Database,
  teamId: string,
  asked: FailuresAsked,
): Promise<FailureGroups> {
  const { from, to } = asked;
  const queueIds = await findSourceIds(db, teamId, 'queues', { id: asked.queueId });
  const ranges = await withoutEmpty(db, rangesOf({ tab: 'failed' }, { queueIds }));
  const merge = mergeKeys(db, ranges, {
    direction: 'down',
    start: { at: to, id: FIRST_ID },
    until: from,
    expected: MOST_FAILURES,
  });
  const keys: MergedKey[] = [];
  let next: MergedKey[];
  do {
    // One more shows that there are more.
    next = await merge.next(MOST_FAILURES + 1 - keys.length);
    keys.push(...next);
  } while (next.length > 0 && keys.length <= MOST_FAILURES);
  const counted = keys.slice(0, MOST_FAILURES);
  const rows = await readFailures(db, teamId, counted);
  const alike = Map.groupBy(rows, (row) => `${row.reason} ${row.response_status} ${row.target}`);
  const groups = [...alike.values()].flatMap((some) => groupOf(some, asked) ?? []);
  const sorted = groups.toSorted((a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt);
  const countedBackTo = keys.length > MOST_FAILURES ? (counted.at(-1)?.at ?? null) : null;
  return { groups: sorted.slice(0, MOST_GROUPS), countedBackTo };
}

export async function findFirstFailure(
  db: Database,
  teamId: string,
  queueId: string | undefined,
): Promise<number | null> {
  const queueIds = await findSourceIds(db, teamId, 'queues', { id: queueId });
  const ranges = await withoutEmpty(db, rangesOf({ tab: 'failed' }, { queueIds }));
  return (await firstKey(db, ranges, 'up'))?.at ?? null;
}

/** Latest first. @param keys latest first */
async function readFailures(
  db: Database,
  teamId: string,
  keys: readonly MergedKey[],
): Promise<FailureRow[]> {
  const [latest, earliest] = [keys.at(0), keys.at(-1)];
  if (!latest || !earliest) return [];
  const { before, isAmong } = db.dialect;
  const ids = keys.map(({ id }) => id);
  const failures = sql<FailureRow>`/* read-failures */
    select id, queue_id, reason, ${sql.raw(before(before('url', '?'), '#'))} as target,
      response_status, error_message, completed_at as at
    from ended_jobs where team_id = ${teamId} and ${isAmong('id', ids)}
      and completed_at between ${earliest.at} and ${latest.at}
      and status in ${sql.raw(FAILED_JOBS)} and retried_as is null
    order by completed_at desc`;
  return db.ask(failures);
}

function groupOf(rows: readonly FailureRow[], { from, to }: FailuresAsked): FailureGroup | null {
  const [last, first] = [rows.at(0), rows.at(-1)];
  if (!last || !first) return null;
  const stepMs = Math.max(1, Math.ceil((to - from) / STEPS));
  const series = Array.from({ length: STEPS }, () => 0);
  for (const { at } of rows) {
    const step = Math.min(STEPS - 1, Math.max(0, Math.trunc((at - from) / stepMs)));
    series[step] = (series[step] ?? 0) + 1;
  }
  return {
    reason: last.reason ?? 'unknown',
    target: last.target,
    statusCode: last.response_status,
    count: rows.length,
    firstSeenAt: first.at,
    lastSeenAt: last.at,
    series,
    queueIds: [...new Set(rows.map(({ queue_id }) => queue_id))],
    errorMessage: last.error_message,
    lastJobId: last.id,
  };
}
