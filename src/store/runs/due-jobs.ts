import { namesOf } from '../tables/table.ts';
import type { Row } from '../tables/tables.ts';
import { jobs } from '../tables/work.ts';
import { type Allowance, allowAt, nextStart, parseRate } from '#domain/rate';
import {
  claimedRun,
  type GroupRow,
  readSettings,
  type RunSettings,
  type SettingsRow,
} from './claim.ts';
import type { Claim, Claimant, ClaimedJob, ClaimContext, Blocker, GroupSlots } from './claims.ts';
import { findPauseEnd } from '#domain/maintenance';
import { readPausingWindows } from '../alerts/window-rows.ts';
import { type Fields, packRows, type Place } from '../database/dialect.ts';

/** Shared by both databases. */

export type ClaimJobs = (
  asked: readonly GroupSlots[],
  claimant: Claimant,
) => Promise<Claim<ClaimedJob>>;

export interface ClaimedQueueRow
  extends GroupRow, SettingsRow, Pick<Row<'queues'>, 'concurrency_limit' | 'rate' | 'is_paused'> {
  pausing_windows: string | null;
}

export type ClaimedJobRow = Pick<Row<'jobs'>, (typeof CLAIMED_COLUMNS)[number]> & { place: Place };

export const SLOTS = { queue_id: 'id', slots: 'int', from_at: 'bigint' } as const satisfies Fields;

/** Whether a queue or its team is paused (§3.5, §3.11); of `queues q` and `teams t`. */
export const IS_PAUSED = 'case when t.paused_at is null then q.is_paused else 1 end';

export const QUEUE_COLUMNS = `q.id, q.timeout_seconds, q.concurrency_limit, q.rate, q.assertions,
  ${IS_PAUSED} as is_paused, t.pausing_windows, q.slow_rule, q.keeps_response_body, t.plan, t.sealed_signing_secret`;

/** A claim returns these columns, and then the row's place. */
export const CLAIMED_COLUMNS = namesOf(
  jobs.columns,
  'status',
  'created_at',
  'started_at',
  'claimed_by',
  'actor',
);

export function blockerOf(
  queue: Pick<ClaimedQueueRow, 'is_paused' | 'concurrency_limit'> | undefined,
  running: number,
): Blocker {
  if (!queue) return 'gone';
  if (queue.is_paused === 1) return 'paused';
  return running >= (queue.concurrency_limit ?? Infinity) ? 'at-limit' : 'nothing';
}

/** @param allowance the starts that its rate allows; null for no rate */
export function openSlots(
  queue: Pick<ClaimedQueueRow, 'is_paused' | 'concurrency_limit'> | undefined,
  running: number,
  asked: number,
  allowance: Allowance | null,
): number {
  if (blockerOf(queue, running) !== 'nothing') return 0;
  const ofLimit = (queue?.concurrency_limit ?? Infinity) - running;
  return Math.min(asked, ofLimit, allowance?.slots ?? Infinity);
}

/** @param spentUntil recorded by the claim before */
export function allowanceOf(
  queue: Pick<ClaimedQueueRow, 'rate'> | undefined,
  spentUntil: number | null,
  now: number,
): Allowance | null {
  const rate = queue?.rate ? parseRate(queue.rate) : null;
  return rate && allowAt(rate, spentUntil, now);
}

/** When the maintenance windows that pause the queue end; null if none does. */
export function pausedByWindow(
  queue: Pick<ClaimedQueueRow, 'id' | 'pausing_windows'> | undefined,
  now: number,
): number | null {
  if (!queue) return null;
  const windows = readPausingWindows(queue.pausing_windows);
  return findPauseEnd(windows, { kind: 'queue', id: queue.id }, now);
}

/** By the queue's rate, or a maintenance window. @param windowEnd null: there is none */
export function delayedStart(
  allowance: Allowance | null,
  started: number,
  windowEnd: number | null,
  now: number,
): { notBefore?: number } {
  const notBefore = windowEnd ?? (allowance ? nextStart(allowance, started) : now);
  return notBefore > now ? { notBefore } : {};
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
