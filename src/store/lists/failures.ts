import type { FailureReason } from '#domain/failure';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { firstKey, KeyMerge } from './key-merge.ts';
import { rangesOf, withoutEmpty } from './ranges.ts';
import { findSourceIds } from './sources.ts';
import { FAILED_JOBS } from '../runs/status-lists.ts';
import { FIRST_ID } from '#domain/ids';

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

interface StepRow {
  queue_id: string;
  last_id: string;
  reason: FailureReason | null;
  target: string;
  response_status: number | null;
  step: number;
  count: number;
  first_at: number;
  last_at: number;
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
  const merge = new KeyMerge(db, ranges, {
    direction: 'down',
    start: { at: to, id: FIRST_ID },
    until: from,
    expected: MOST_FAILURES,
  });
  const groups = new Map<string, FailureGroup>();
  let counted = 0;
  let last: number | null = null;
  for (;;) {
    const keys = await merge.next(Math.min(5_000, MOST_FAILURES - counted));
    if (keys.length === 0) break;
    counted += keys.length;
    last = keys.at(-1)?.at ?? null;
    for (const row of await countSteps(db, teamId, keys, asked)) addStep(groups, row);
    if (counted >= MOST_FAILURES) break;
  }
  const isCut = counted >= MOST_FAILURES && (await merge.next(1)).length > 0;
  const sorted = [...groups.values()].toSorted(
    (a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt,
  );
  return { groups: sorted.slice(0, MOST_GROUPS), countedBackTo: isCut ? last : null };
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

async function countSteps(
  db: Database,
  teamId: string,
  keys: readonly { id: string; at: number }[],
  { from, to }: FailuresAsked,
): Promise<StepRow[]> {
  const ids = keys.map(({ id }) => id);
  const [newest, oldest] = [keys[0]?.at ?? to, keys.at(-1)?.at ?? from];
  const { before, isAmong } = db.dialect;
  const stepMs = Math.max(1, Math.ceil((to - from) / STEPS));
  const failures = sql<StepRow>`/* count-failures */
    select queue_id, reason, target, response_status, step, count(*) as count,
      max(cast(id as text)) as last_id,
      min(completed_at) as first_at, max(completed_at) as last_at
    from (
      select id, queue_id, reason, response_status, completed_at, ${sql.raw(before(before('url', '?'), '#'))} as target,
        (completed_at - cast(${from} as bigint)) / cast(${stepMs} as bigint) as step
      from ended_jobs where team_id = ${teamId} and ${isAmong('id', ids)}
        and completed_at between ${oldest} and ${newest}
        and status in ${sql.raw(FAILED_JOBS)} and retried_as is null
    ) as failures
    group by queue_id, reason, target, response_status, step`;
  return db.read(async (reader) => (await failures.execute(reader)).rows);
}

function addStep(groups: Map<string, FailureGroup>, row: StepRow): void {
  const reason = row.reason ?? 'unknown';
  const key = `${reason} ${row.response_status} ${row.target}`;
  const group = groups.get(key) ?? {
    reason,
    target: row.target,
    statusCode: row.response_status,
    count: 0,
    firstSeenAt: row.first_at,
    lastSeenAt: row.last_at,
    series: Array.from({ length: STEPS }, () => 0),
    queueIds: [],
    lastJobId: row.last_id,
  };
  const step = Math.min(STEPS - 1, Math.max(0, Math.trunc(row.step)));
  const { count } = row;
  group.count += count;
  if (!group.queueIds.includes(row.queue_id)) group.queueIds.push(row.queue_id);
  if (row.last_id > group.lastJobId) group.lastJobId = row.last_id;
  group.firstSeenAt = Math.min(group.firstSeenAt, row.first_at);
  group.lastSeenAt = Math.max(group.lastSeenAt, row.last_at);
  group.series[step] = (group.series[step] ?? 0) + count;
  groups.set(key, group);
}
