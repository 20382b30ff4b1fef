import {
  CLAIMED_COLUMNS,
  type JobRow,
  packSeats,
  QUEUE_COLUMNS,
  type QueueClaims,
  type QueueRow,
  SEATS,
} from '../due-jobs.ts';
import { hotStatement, runHot } from '../hot.ts';
import { livingNode } from '../living-node.ts';
import { KEEP_TAKEN, LAST_TAKEN, packTaken, RECOUNT_MS, RUNNING_IDS, TAKEN } from '../slots.ts';

const holdLimitedQueues = hotStatement<{ id: string }>(
  'hold-limited-queues',
  (dialect) => `
  select q.id from ${dialect.rows(SEATS, 1)} ${dialect.briefly} cross join queues q
  where q.id = given.queue_id and q.concurrency_limit is not null
  order by q.id ${dialect.lock('for no key update of q')}`,
);

type QueueWithSlots = Omit<QueueRow, 'running' | 'taken'> & {
  team_id: string;
  number: number | null;
  is_known: boolean;
  recount_until: number;
  running_ids: string[] | null;
};

/** The same where what runs is looked up by the list of the last claim (slots.ts). $2 now, $3 whether to recount */
const readQueues = hotStatement<QueueWithSlots>(
  'read-queues',
  (dialect) => `
  select ${QUEUE_COLUMNS}, q.team_id, last.number, last.job_ids is not null as is_known,
    coalesce(last.recount_until, 0) as recount_until, ${RUNNING_IDS} as running_ids
  from ${dialect.rows(SEATS, 1)} cross join queues q cross join teams t ${LAST_TAKEN}
  where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null`,
);

/**
 * The most jobs of one claim on Postgres; whatever is over waits for the next. The number is for the
 * planner: seats are unknown to it, and it would prepare for a tenth of all waiting jobs.
 */
export const MOST_CLAIMED = 1000;

/**
 * All queues in one statement, without rows that another node is claiming. What is due stands by itself
 * (`materialized`): as a part of a join it may be chosen anew for each row, and others each time, past all seats.
 */
const claimDue = hotStatement<JobRow>(
  'claim-jobs',
  (dialect) => `
  with due as materialized (
    select j.team_id, j.id from ${dialect.rows(SEATS, 1)}
    cross join lateral (
      select jobs.team_id, jobs.id from jobs
      where jobs.queue_id = given.queue_id and jobs.status = 'pending' and jobs.scheduled_at <= $3
        and jobs.scheduled_at >= given.from_at
      order by jobs.scheduled_at, jobs.id limit given.seats for update skip locked
    ) j
    where exists (${livingNode(dialect, '$2')})
    limit ${MOST_CLAIMED}
  ), claimed as (
    update jobs set status = 'processing', claimed_by = $2, started_at = $3
    from due where jobs.team_id = due.team_id and jobs.id = due.id
    returning ${CLAIMED_COLUMNS}
  ), ${KEEP_TAKEN(dialect.rows(TAKEN, 4))}
  select * from claimed`,
);

export const queueClaims: QueueClaims = {
  async readQueues(runner, dialect, { asked, now, recounts }) {
    const parameter = packSeats(asked);
    // Two nodes must not both count a limited queue's running jobs before either has claimed.
    await runHot(runner, dialect, holdLimitedQueues, [parameter]);
    const rows = await runHot(runner, dialect, readQueues, [parameter, now, recounts]);
    return rows.map((row) => queueRow(row, now));
  },
  takeJobs(runner, dialect, { nodeId, now }, open) {
    const taken = open.flatMap((queue) => queue.taken ?? []);
    const parameters = [packSeats(open), nodeId, now, packTaken(taken)];
    return runHot(runner, dialect, claimDue, parameters);
  },
};

function queueRow(row: QueueWithSlots, now: number): QueueRow {
  const { team_id, number, is_known, recount_until, running_ids, ...queue } = row;
  if (running_ids === null) return { ...queue, running: 0, taken: null };
  const until = is_known ? recount_until : now + RECOUNT_MS;
  const list = { number: number ?? 0, job_ids: running_ids, recount_until: until };
  const taken = { team_id, queue_id: queue.id, ...list };
  return { ...queue, running: running_ids.length, taken };
}
