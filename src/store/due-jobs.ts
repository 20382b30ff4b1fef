import type { ClaimInput, LaneRow, TakenRow } from './claim.ts';
import type { Holds, LaneSeats } from './claims.ts';
import { type Dialect, type Fields, packRows } from './dialect.ts';
import type { HotRunner } from './procedure.ts';
import type { TakenSlots } from './slots.ts';

/** What claims of jobs have in common, in either database. */

export interface JobClaimInput extends ClaimInput {
  /** Whether others may claim from queues with a limit without writing it down. */
  recounts: boolean;
}

export interface QueueRow extends LaneRow {
  timeout_seconds: number;
  concurrency_limit: number | null;
  /** Counted only where there is a limit to compare it with. */
  running: number;
  /** Of a queue with a limit on Postgres. */
  taken?: TakenSlots | null;
  assertions: string;
  is_paused: 0 | 1;
}

export interface JobRow extends TakenRow {
  original_id: string;
  attempt_number: number;
  queue_id: string;
  scheduled_at: number;
  payload: string | null;
}

/** What each database does in its own way. */
export interface QueueClaims {
  readQueues(runner: HotRunner, dialect: Dialect, input: JobClaimInput): Promise<QueueRow[]>;
  /** Takes due jobs, earliest first in each queue. */
  takeJobs(
    runner: HotRunner,
    dialect: Dialect,
    input: JobClaimInput,
    open: readonly OpenQueue[],
  ): Promise<JobRow[]>;
}

export interface OpenQueue extends LaneSeats {
  taken?: TakenSlots | null | undefined;
}

export const SEATS = { queue_id: 'id', seats: 'int', from_at: 'bigint' } as const satisfies Fields;

export const QUEUE_COLUMNS = `q.id, q.timeout_seconds, q.concurrency_limit, q.assertions, q.is_paused, t.plan,
  t.sealed_signing_secret`;

export const CLAIMED_COLUMNS = `jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id,
  jobs.method, jobs.url, jobs.callback_url, jobs.scheduled_at, jobs.sealed_headers, jobs.payload`;

/** A limit is held across nodes (§3.8), and a paused queue is left alone (§3.5). */
export function whatHolds(
  queue: Pick<QueueRow, 'is_paused' | 'concurrency_limit'> | undefined,
  running: number,
): Holds {
  if (!queue) return 'gone';
  if (queue.is_paused === 1) return 'paused';
  return running >= (queue.concurrency_limit ?? Infinity) ? 'at-limit' : 'nothing';
}

/** The same for queues `q` without a limit, within a statement. */
export const IS_OPEN = 'q.is_paused = 0 and q.concurrency_limit is null';

export function packSeats(asked: readonly LaneSeats[]): string {
  return packRows(
    SEATS,
    asked.map(({ id, seats, from = 0 }) => ({ queue_id: id, seats, from_at: from })),
  );
}

export function earlierFirst(a: JobRow, b: JobRow): number {
  return a.scheduled_at - b.scheduled_at || (a.id < b.id ? -1 : 1);
}
