import { namesOf } from '../tables/table.ts';
import type { Row } from '../tables/tables.ts';
import { jobs } from '../tables/work.ts';
import {
  claimedRun,
  type GroupRow,
  readSettings,
  type RunSettings,
  type SettingsRow,
} from './claim.ts';
import type { Blocker, ClaimContext, ClaimedGroup, ClaimedJob, GroupSlots } from './claims.ts';
import { type Fields, packRows, type Place } from '../database/dialect.ts';

export interface ClaimedQueueRow
  extends GroupRow, SettingsRow, Pick<Row<'queues'>, 'concurrency_limit' | 'rate' | 'is_paused'> {
  pausing_windows: string | null;
}

export type ClaimedJobRow = Pick<Row<'jobs'>, (typeof CLAIMED_COLUMNS)[number]> & { place: Place };

export const SLOTS = { queue_id: 'id', slots: 'int', from_at: 'bigint' } as const satisfies Fields;

/** Whether a queue or its team is paused (§3.5, §3.11); of `queues q` and `teams t`. */
export const IS_PAUSED = 'case when t.paused_at is null then q.is_paused else 1 end';

export const QUEUE_COLUMNS = `q.id, q.timeout_seconds, q.concurrency_limit, q.rate, q.assertions,
  ${IS_PAUSED} as is_paused, t.pausing_windows, q.slow_seconds, q.keeps_response_body, t.plan, t.sealed_signing_secret`;

/** A claim returns these columns, and then the row's place. */
export const CLAIMED_COLUMNS = namesOf(
  jobs.columns,
  'status',
  'created_at',
  'started_at',
  'claimed_by',
  'actor',
);

interface QueueState extends Pick<ClaimedQueueRow, 'is_paused' | 'concurrency_limit'> {
  /** Later than now. */
  next_due_at: number | null;
  /** Before this claim; counted if there is a limit. */
  running?: number;
}

/** @param started by this claim */
export function blockerOf(
  queue: Omit<QueueState, 'next_due_at'> | undefined,
  started = 0,
): Blocker {
  if (!queue) return 'gone';
  if (queue.is_paused === 1) return 'paused';
  const isFull = (queue.running ?? 0) + started >= (queue.concurrency_limit ?? Infinity);
  return isFull ? 'at-limit' : 'nothing';
}

/** Without this number, Postgres' planner would plan for a tenth of all waiting jobs. */
export const MOST_CLAIMED = 1000;

export interface TakenJobs {
  jobs: readonly ClaimedJobRow[];
  /** In all queues. One that changed between snapshot and lock isn't claimed: its new place isn't visible. */
  chosen: number;
}

/**
 * Due again if it used all slots, or if the claim left due jobs.
 * @param taken from this queue
 */
export function stateOf(
  { id, slots, from = 0 }: GroupSlots,
  queue: QueueState | undefined,
  taken: readonly ClaimedJobRow[],
  { jobs, chosen }: TakenJobs,
): ClaimedGroup {
  const blocker = blockerOf(queue, taken.length);
  if (!queue) return { id, nextDueAt: null, blocker };
  if (jobs.length < chosen) return { id, nextDueAt: from, blocker };
  const hasMore = jobs.length >= MOST_CLAIMED || taken.length >= slots;
  const last = taken.at(-1)?.scheduled_at ?? 0;
  const isNext = hasMore && blocker !== 'paused';
  return { id, nextDueAt: isNext ? Math.max(from, last) : queue.next_due_at, blocker };
}

export function packSlots(asked: readonly GroupSlots[]): string {
  return packRows(
    SLOTS,
    asked.map(({ id, slots, from = 0 }) => ({ queue_id: id, slots, from_at: from })),
  );
}

export function earlierFirst(a: ClaimedJobRow, b: ClaimedJobRow): number {
  return a.scheduled_at - b.scheduled_at || (a.id < b.id ? -1 : 1);
}

interface QueueSettings extends RunSettings {
  hasConcurrencyLimit: boolean;
}

function settingsOf(
  queues: Iterable<Omit<ClaimedQueueRow, 'used'>>,
  { secrets }: ClaimContext,
): ReadonlyMap<string, QueueSettings> {
  return new Map(
    Iterator.from(queues).map((queue) => {
      const hasConcurrencyLimit = queue.concurrency_limit !== null;
      return [queue.id, { ...readSettings(queue, secrets), hasConcurrencyLimit }];
    }),
  );
}

export function claimedJobs(
  rows: readonly ClaimedJobRow[],
  queues: Iterable<Omit<ClaimedQueueRow, 'used'>>,
  context: ClaimContext,
  now: number,
): ClaimedJob[] {
  const settings = settingsOf(queues, context);
  return rows.flatMap((row) => {
    const ofQueue = settings.get(row.queue_id);
    return ofQueue ? [claimedJob(row, ofQueue, context, now)] : [];
  });
}

function claimedJob(
  row: ClaimedJobRow,
  settings: QueueSettings,
  context: ClaimContext,
  now: number,
): ClaimedJob {
  return {
    kind: 'job',
    ...claimedRun(row, settings, context.sealer, 'jobs', () => row.payload),
    originalId: row.original_id,
    attemptNumber: row.attempt_number,
    queueId: row.queue_id,
    place: row.place,
    startedAt: now,
    dueAt: row.scheduled_at,
  };
}
