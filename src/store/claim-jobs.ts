import {
  claimedRun,
  claimProcedure,
  claimWithLimits,
  type KindOfClaim,
  type LaneHead,
} from './claim.ts';
import type { Claim, Claimant, ClaimedJob, ClaimRoom, LaneSeats } from './claims.ts';
import {
  earlierFirst,
  type JobClaimInput,
  type JobRow,
  packSeats,
  type QueueRow,
  SEATS,
  whatHolds,
} from './due-jobs.ts';
import { findHeldLanes } from './held-rows.ts';
import { hotStatement, runHot } from './hot.ts';
import { queueClaims as onPostgres } from './postgres/claim-jobs.ts';
import { queueClaims as onSqlite } from './sqlite/claim-jobs.ts';

const CLAIMS = { postgres: onPostgres, sqlite: onSqlite };

const readHeads = hotStatement<LaneHead>(
  'read-queue-heads',
  (dialect) => `
  select given.queue_id as id, (
    select j.scheduled_at from jobs j where j.queue_id = given.queue_id and j.status = 'pending'
      and j.scheduled_at >= given.from_at
    order by j.scheduled_at, j.id limit 1
  ) as next_due_at from ${dialect.rows(SEATS, 1)}`,
);

const JOBS: KindOfClaim<JobClaimInput, QueueRow, JobRow> = {
  table: 'jobs',
  laneOf: ({ queue_id }) => queue_id,
  readLanes: (runner, dialect, input) => CLAIMS[dialect.name].readQueues(runner, dialect, input),
  async take(runner, dialect, input, queues) {
    const open = input.asked.flatMap(({ id, seats, ...rest }) => {
      const queue = queues.get(id);
      if (!queue || whatHolds(queue, queue.running) !== 'nothing') return [];
      const left = (queue.concurrency_limit ?? Infinity) - queue.running;
      return [{ ...rest, id, seats: Math.min(seats, left), taken: queue.taken }];
    });
    if (open.length === 0) return [];
    const rows = await CLAIMS[dialect.name].takeJobs(runner, dialect, input, open);
    return rows.toSorted(earlierFirst);
  },
  readHeads: (runner, dialect, { asked }) => runHot(runner, dialect, readHeads, [packSeats(asked)]),
  whatHolds: (queue, taken) => whatHolds(queue, (queue?.running ?? 0) + taken),
};

export const claimJobsProcedure = claimProcedure(JOBS);

/** Claims due jobs of several queues for one node, earliest first in each queue (see `claimProcedure`). */
export async function claimJobs(
  room: ClaimRoom,
  asked: readonly LaneSeats[],
  claimant: Claimant,
  recounts: boolean,
): Promise<Claim<ClaimedJob>> {
  const { nodeId, now } = claimant;
  return claimWithLimits(
    room,
    claimant,
    (limits) => room.db.perform(claimJobsProcedure, { asked, nodeId, now, limits, recounts }),
    (row, queues) => {
      const queue = queues.get(row.queue_id);
      return queue ? [claimedJob(row, queue, room, now)] : [];
    },
  );
}

/** Of queues with a limit a claim holds the row too. */
export const findHeldQueues = findHeldLanes(
  'find-held-queues',
  (given) => `
    select q.id, q.team_id, q.concurrency_limit from ${given} join queues q on q.id = given.id`,
  {
    freeRows: `, free_queues as materialized (
      select id from queues
      where id = any(array(select id from lanes where concurrency_limit is not null))
      for no key update skip locked
    )`,
    isHeld: '(concurrency_limit is not null and id not in (select id from free_queues))',
  },
);

/** The row of a claimed job and its queue's settings, as the engine needs them. */
export function claimedJob(
  row: JobRow,
  queue: Omit<QueueRow, 'id' | 'running' | 'taken'>,
  room: Pick<ClaimRoom, 'sealer' | 'secrets'>,
  now: number,
): ClaimedJob {
  return {
    kind: 'job',
    ...claimedRun(row, queue, room, 'jobs', () => row.payload),
    originalId: row.original_id,
    attemptNumber: row.attempt_number,
    queueId: row.queue_id,
    hasConcurrencyLimit: queue.concurrency_limit !== null,
    startedAt: now,
    dueAt: row.scheduled_at,
  };
}
