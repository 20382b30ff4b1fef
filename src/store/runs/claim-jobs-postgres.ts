import type { Claim, Claimant, ClaimedJob, ClaimContext, GroupSlots } from './claims.ts';
import { claimInSteps, type CountedQueue, readQueues, type Started } from './claim-in-steps.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import {
  CLAIMED_COLUMNS,
  claimedJobs,
  type ClaimedJobRow,
  type ClaimedQueueRow,
  earlierFirst,
  MOST_CLAIMED,
  packSlots,
  QUEUE_COLUMNS,
  SLOTS,
  stateOf,
} from './due-jobs.ts';
import { preparedStatement } from '../database/prepared.ts';
import { livingNode } from '../nodes/living-node.ts';
import { countStartsOf } from '../figures/batch-counts.ts';
import { monthOf, nearLimit, usedBy } from '../figures/usage.ts';
import { KEEP_TAKEN, LAST_TAKEN, RECOUNT_MS, RUNNING_IDS, TAKEN } from './taken-slots.ts';

const LIMIT = { plan: 'text', monthly_limit: 'bigint' } as const satisfies Fields;

interface OpenQueue extends Omit<ClaimedQueueRow, 'used'> {
  next_due_at: number | null;
  /** Whether the team's runs are counted under the lock of its month. */
  is_near_limit: boolean;
  chosen: number;
}

type ClaimRow =
  | (ClaimedJobRow & { queue: null })
  | ({ [K in keyof ClaimedJobRow]: null } & { queue: string });

/** Two claims of such a queue must not overlap. */
const IS_LIMITED = '(q.concurrency_limit is not null or q.rate is not null)';
const isInSteps = ({ concurrency_limit, rate, is_near_limit, pausing_windows }: OpenQueue) =>
  concurrency_limit !== null || rate !== null || is_near_limit || pausing_windows !== null;

/**
 * Due jobs that no one has locked. `due` is `materialized`: otherwise jobs would be chosen again for each row and exceed
 * the slots. $2 node, $3 now
 * @param open a table of queues
 */
const claimDue = (dialect: Dialect, open: string, isOpen: string) => `
  due as materialized (
    select j.ctid
    from ${open} q cross join lateral (
      select jobs.ctid from jobs
      where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at <= $3
        and jobs.scheduled_at >= q.from_at
      order by jobs.scheduled_at, jobs.id limit q.slots for update skip locked
    ) j
    where ${isOpen} and exists (${livingNode(dialect, '$2')})
    limit ${MOST_CLAIMED}
  ), claimed as (
    update jobs set started_at = $3, status = 'processing', claimed_by = $2::uuid
    where jobs.ctid = any(array(select ctid from due))
    returning ${[...CLAIMED_COLUMNS, 'ctid::text as place'].map((column) => `jobs.${column}`).join(', ')}
  )`;

const STARTS = `(
    select claimed.team_id, count(*) as runs
    from claimed group by claimed.team_id) as started`;

/**
 * One statement, because each costs a round trip while slots are idle. It skips queues that are claimed in steps.
 *
 * $1 slots by queue, $2 node, $3 now, $4 month, $5 limits by plan, $6 the limit of other plans
 */
const claimJobsAtOnce = preparedStatement<ClaimRow>(
  'claim-jobs-at-once',
  (dialect) => `
  with asked as materialized (
    select queue_id, slots, from_at from ${dialect.rows(SLOTS, 1)}
  ), limits as materialized (
    select plan, monthly_limit from ${dialect.rows(LIMIT, 5)}
  ), asked_queues as materialized (
    select ${QUEUE_COLUMNS}, q.team_id, asked.slots, asked.from_at,
      case when limits.plan is null then $6::bigint else limits.monthly_limit end as monthly_limit,
      (select jobs.scheduled_at from jobs
       where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at > $3
       order by jobs.scheduled_at, jobs.id limit 1) as next_due_at
    from asked join queues q on q.id = asked.queue_id
    join teams t on t.id = q.team_id and t.deleted_at is null
    left join limits on limits.plan = t.plan
  ), open_queues as materialized (
    select q.*, case when q.monthly_limit is null then false
      else ${nearLimit('q.monthly_limit', usedBy('q.team_id', '$4'))} end as is_near_limit
    from asked_queues q
  ), ${claimDue(
    dialect,
    'open_queues',
    `q.is_paused = 0 and not ${IS_LIMITED} and not q.is_near_limit and q.pausing_windows is null`,
  )}, counted as (${countStartsOf(STARTS, '$3::bigint')}
  )
  select claimed.*, null as queue from claimed
  union all
  select ${[...CLAIMED_COLUMNS, 'place'].map(() => 'null').join(', ')}, row_to_json(q)::text
  from (select open_queues.*, (select count(*) from due) as chosen from open_queues) as q`,
);

const lockLimitedQueues = preparedStatement<{ id: string }>(
  'lock-limited-queues',
  (dialect) => `
  select q.id from ${dialect.rows(SLOTS, 1)} ${dialect.limitLockWaits} cross join queues q
  where q.id = given.queue_id and ${IS_LIMITED}
  order by q.id ${dialect.lock('for no key update of q skip locked')}`,
);

interface TakenQueue extends CountedQueue {
  number: number | null;
  is_known: boolean;
  recount_until: number;
  running_ids: string[] | null;
}

/** The running jobs, by the list of the last claim (taken-slots.ts). */
const readTaken = preparedStatement<Omit<TakenQueue, 'running'>>('read-taken-slots', (dialect) =>
  readQueues(
    dialect,
    `last.number, last.rate_spent_until, last.job_ids is not null as is_known,
    coalesce(last.recount_until, 0) as recount_until, ${RUNNING_IDS} as running_ids`,
    LAST_TAKEN,
  ),
);

/** $1 `SLOTS`, $2 node, $3 now */
const claimJobsInSteps = preparedStatement<(ClaimedJobRow | { id: null }) & { chosen: number }>(
  'claim-jobs-in-steps',
  (dialect) => `
  with open_queues as materialized (
    select queue_id as id, slots, from_at from ${dialect.rows(SLOTS, 1)}
  ), ${claimDue(dialect, 'open_queues', 'q.slots > 0')}
  select claimed.*, counted.chosen
  from (select count(*) as chosen from due) as counted left join claimed on true`,
);

const keepTaken = preparedStatement<never>('keep-taken-slots', KEEP_TAKEN);

export const claimJobs = claimInSteps<TakenQueue>({
  async lock(runner, asked) {
    const rows = await runner.rows(lockLimitedQueues, [packSlots(asked)]);
    return new Set(rows.map(({ id }) => id));
  },
  async read(runner, { asked, now }) {
    const parameters = [packSlots(asked), now, monthOf(now)];
    const rows = await runner.rows(readTaken, parameters);
    return rows.map((row) => Object.assign(row, { running: row.running_ids?.length ?? 0 }));
  },
  async take(runner, { asked, nodeId, now }) {
    const rows = await runner.rows(claimJobsInSteps, [packSlots(asked), nodeId, now]);
    const jobs = rows.flatMap((row) => (row.id === null ? [] : [row]));
    return { jobs, chosen: rows[0]?.chosen ?? 0 };
  },
  async keep(runner, started, now) {
    const rows = started.flatMap((each) => listOf(each, now));
    if (rows.length > 0) await runner.rows(keepTaken, [packRows(TAKEN, rows)]);
  },
});

function listOf({ queue, jobs, rate_spent_until }: Started<TakenQueue>, now: number) {
  const { id, team_id, number, is_known, recount_until, running_ids } = queue;
  if (running_ids === null && rate_spent_until === null) return [];
  const until = is_known || running_ids === null ? recount_until : now + RECOUNT_MS;
  const job_ids = running_ids && [...running_ids, ...jobs.map((job) => job.id)];
  const list = { number: number ?? 0, job_ids, recount_until: until, rate_spent_until };
  return [{ team_id, queue_id: id, ...list }];
}

/** @returns the groups that it has skipped, and the claim from the others */
export async function claimAtOnce(
  context: ClaimContext,
  asked: readonly GroupSlots[],
  { nodeId, now, limits: { byPlan, other } }: Claimant,
): Promise<{ inSteps: GroupSlots[]; claim: Claim<ClaimedJob> }> {
  const limits = [...byPlan].map(([plan, monthly_limit]) => ({ plan, monthly_limit }));
  const month = monthOf(now);
  const parameters = [packSlots(asked), nodeId, now, month, packRows(LIMIT, limits), other];
  const rows = await context.db.rows(claimJobsAtOnce, parameters);
  const due = rows.flatMap((row) => (row.queue === null ? [row] : [])).toSorted(earlierFirst);
  const queues = new Map(
    rows
      .flatMap(({ queue }) => (queue === null ? [] : [JSON.parse(queue) as OpenQueue]))
      .map((queue) => [queue.id, queue]),
  );
  const [{ chosen = 0 } = {}] = queues.values();
  const taken = Map.groupBy(due, ({ queue_id }) => queue_id);
  const { inSteps = [], atOnce = [] } = Object.groupBy(asked, ({ id }) => {
    const queue = queues.get(id);
    return queue !== undefined && isInSteps(queue) ? 'inSteps' : 'atOnce';
  });
  const groups = atOnce.map((group) =>
    stateOf(group, queues.get(group.id), taken.get(group.id) ?? [], { jobs: due, chosen }),
  );
  const claimed = claimedJobs(due, queues.values(), context, now);
  return { inSteps, claim: { claimed, blocked: 0, groups } };
}
