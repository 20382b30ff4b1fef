import type { Claim, Claimant, ClaimedJob, ClaimRoom, LaneSeats } from '../claims.ts';
import { claimedJob } from '../claim-jobs.ts';
import { type Fields, packRows } from '../dialect.ts';
import {
  CLAIMED_COLUMNS,
  earlierFirst,
  IS_OPEN,
  type JobRow,
  packSeats,
  type QueueRow,
  SEATS,
  whatHolds,
} from '../due-jobs.ts';
import { bindHot, hotStatement } from '../hot.ts';
import { livingNode } from '../living-node.ts';
import { countOutcomesOf } from '../outcomes.ts';
import { addUsage, countMonthsOf, overLimit, periodsOf, UNLIMITED } from '../usage.ts';
import { MOST_CLAIMED } from './claim-jobs.ts';

const LIMIT = { plan: 'text', monthly_limit: 'bigint' } as const satisfies Fields;

/** One row for each queue asked for, and for each of its claimed jobs if there are any. */
type ClaimRow = Omit<QueueRow, 'id' | 'running' | 'taken'> & {
  for_queue: string;
  next_due_at: number | null;
  knows_plan: boolean;
  claimed_status: 'processing' | 'failed' | null;
} & (JobRow | { [K in keyof JobRow]: null });

const STARTED: Readonly<Record<string, string>> = {
  status: `'processing'`,
  claimed_by: '$2::uuid',
};

/** What becomes of each: it is started, or over its team's limit. */
const DECIDED = Object.entries(overLimit('$3::bigint')).map(
  ([column, ended]) =>
    `${column} = case when place <= granted then ${STARTED[column] ?? 'null'} else ${ended} end`,
);

const OVER_LIMIT = `(select team_id, claimed_status as status, $3::bigint as completed_at
    from claimed where claimed_status = 'failed') as over_limit`;

/**
 * The whole claim as one statement, which is a transaction by itself: on Postgres each statement costs a
 * round trip, and while a claim is under way its seats stand empty.
 *
 * It reads the queues and when the next job not yet due comes, takes the due jobs that nobody else holds,
 * counts them against each team's month (holding the month's row), fails what is over the limit, and
 * hands out the rest. Queues with a concurrency limit are left out: their running jobs must be counted
 * under a lock (`claimJobs`).
 *
 * Each part stands by itself (`materialized`), and the jobs are joined to one part only: a plan made while
 * the table was empty is kept, and must not go through a whole team's jobs when there are many.
 *
 * $1 seats by queue, $2 node, $3 now, $4 month, $5 day, $6 limits by plan
 */
const claimAtOnceStatement = hotStatement<ClaimRow>(
  'claim-jobs-at-once',
  (dialect) => `
  with asked as materialized (
    select queue_id, seats, from_at from ${dialect.rows(SEATS, 1)} ${dialect.briefly}
  ), limits as materialized (
    select plan, monthly_limit from ${dialect.rows(LIMIT, 6)}
  ), open_queues as materialized (
    select q.id, q.timeout_seconds, q.concurrency_limit, q.assertions, q.is_paused, t.plan,
      t.sealed_signing_secret, asked.seats, asked.from_at, limits.plan is not null as knows_plan,
      limits.monthly_limit,
      (select jobs.scheduled_at from jobs
       where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at > $3
       order by jobs.scheduled_at, jobs.id limit 1) as next_due_at
    from asked join queues q on q.id = asked.queue_id
    join teams t on t.id = q.team_id and t.deleted_at is null
    left join limits on limits.plan = t.plan
  ), due as materialized (
    select j.team_id, j.id, j.scheduled_at, q.monthly_limit
    from open_queues q cross join lateral (
      select jobs.team_id, jobs.id, jobs.scheduled_at from jobs
      where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at <= $3
        and jobs.scheduled_at >= q.from_at
      order by jobs.scheduled_at, jobs.id limit q.seats for update skip locked
    ) j
    where ${IS_OPEN} and q.knows_plan
      and exists (${livingNode(dialect, '$2')})
    limit ${MOST_CLAIMED}
  ), wanted as materialized (
    select team_id, count(*) as runs, coalesce(min(monthly_limit), ${UNLIMITED}) as monthly_limit
    from due group by team_id order by team_id
  ), counted as (${countMonthsOf(dialect, 'wanted', '$4')}
  ), counted_by_day as (${addUsage('usage_days', 'select team_id, $5, granted from counted where granted > 0')}
  ), ranked as materialized (
    select team_id, id, granted,
      row_number() over (partition by team_id order by scheduled_at, id) as place
    from due join counted using (team_id)
  ), claimed as (
    update jobs set started_at = $3, ${DECIDED.join(', ')}
    from ranked
    where jobs.team_id = ranked.team_id and jobs.id = ranked.id
    returning ${CLAIMED_COLUMNS}, jobs.status as claimed_status
  ), blocked as (${countOutcomesOf(OVER_LIMIT)}
  )
  select q.id as for_queue, q.timeout_seconds, q.concurrency_limit, q.assertions, q.is_paused, q.plan,
    q.sealed_signing_secret, q.knows_plan, q.next_due_at, claimed.*
  from open_queues q left join claimed on claimed.queue_id = q.id`,
);

/**
 * Claims due jobs of queues without a concurrency limit, on Postgres.
 *
 * @returns besides the claim, the queues that have a limit and were left alone
 */
export async function claimAtOnce(
  room: ClaimRoom,
  asked: readonly LaneSeats[],
  claimant: Claimant,
): Promise<Claim<ClaimedJob> & { limited: LaneSeats[] }> {
  const rows = await runClaim(room, asked, claimant);
  const strangers = rows.filter((row) => !row.knows_plan && row.concurrency_limit === null);
  if (strangers.length > 0) {
    // The first claim of a plan's first queue: nothing was taken from it yet.
    for (const { plan } of strangers) room.knownPlans.add(plan);
    const again = asked.filter(({ id }) => strangers.some((row) => row.for_queue === id));
    const known = rows.filter((row) => row.knows_plan || row.concurrency_limit !== null);
    return readClaim(room, asked, claimant, [...known, ...(await runClaim(room, again, claimant))]);
  }
  return readClaim(room, asked, claimant, rows);
}

async function runClaim(
  { db, knownPlans }: ClaimRoom,
  asked: readonly LaneSeats[],
  { nodeId, now, monthlyLimitOf }: Claimant,
): Promise<ClaimRow[]> {
  const { month, day } = periodsOf(now);
  const limits = [...knownPlans].map((plan) => ({ plan, monthly_limit: monthlyLimitOf(plan) }));
  return db.runAlone(
    bindHot(db.dialect, claimAtOnceStatement, [
      packSeats(asked),
      nodeId,
      now,
      month,
      day,
      packRows(LIMIT, limits),
    ]),
  );
}

function readClaim(
  room: ClaimRoom,
  asked: readonly LaneSeats[],
  { now }: Claimant,
  rows: readonly ClaimRow[],
): Claim<ClaimedJob> & { limited: LaneSeats[] } {
  const byQueue = Map.groupBy(rows, ({ for_queue }) => for_queue);
  const jobs = rows.flatMap((row) =>
    row.claimed_status === null ? [] : [row as JobRow & ClaimRow],
  );
  const limitOf = (queueId: string) => byQueue.get(queueId)?.[0]?.concurrency_limit ?? null;
  const limited = asked.filter(({ id }) => limitOf(id) !== null);
  return {
    claimed: jobs
      .filter(({ claimed_status }) => claimed_status === 'processing')
      .toSorted(earlierFirst)
      .map((row) => claimedJob(row, row, room, now)),
    blocked: jobs.filter(({ claimed_status }) => claimed_status === 'failed').length,
    lanes: asked
      .filter((each) => !limited.includes(each))
      .map((each) => stateOf(each, byQueue.get(each.id) ?? [], jobs.length >= MOST_CLAIMED)),
    limited,
  };
}

/**
 * A queue that gave all it was asked for, or whose rows were cut off by the bound of a claim, may have more,
 * due no earlier than the last of them; so may one whose team came to a plan of unknown limit between the two
 * statements. Else its next one is known.
 */
function stateOf(
  { id, seats, from = 0 }: LaneSeats,
  rows: readonly ClaimRow[],
  isCutOff: boolean,
): Claim['lanes'][number] {
  const [queue] = rows;
  const holds = whatHolds(queue, 0);
  if (!queue) return { id, nextDueAt: null, holds };
  const taken = rows.flatMap(({ scheduled_at }) => scheduled_at ?? []);
  const mayHaveMore = isCutOff || taken.length >= seats || !queue.knows_plan;
  const isNext = mayHaveMore && holds === 'nothing';
  return { id, nextDueAt: isNext ? Math.max(from, ...taken) : queue.next_due_at, holds };
}
