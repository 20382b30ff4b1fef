import {
  type Claim,
  type ClaimRoom,
  CLAIMED_COLUMNS,
  claimedJob,
  earlierFirst,
  type JobRow,
  type KnownPlans,
  MOST_CLAIMED,
  packSeats,
  type QueueRow,
  type QueueSeats,
  SEATS,
} from './claim-jobs.ts';
import type { Claimant } from './claims.ts';
import { type Fields, packRows } from './dialect.ts';
import { bindHot, hotStatement } from './hot.ts';
import { livingNode } from './living-node.ts';

const LIMIT = { plan: 'text', monthly_limit: 'bigint' } as const satisfies Fields;

/** One row for each queue asked for, and for each of its claimed jobs if there are any. */
type ClaimRow = Omit<QueueRow, 'id' | 'running' | 'taken'> & {
  for_queue: string;
  next_due_at: number | null;
  knows_plan: boolean;
  claimed_status: 'processing' | 'failed' | null;
} & (JobRow | { [K in keyof JobRow]: null });

/** What a month has room for, of the runs that the conflicting row asked for. */
const GRANTED = `greatest(0, least(excluded.used,
  (select monthly_limit from wanted where wanted.team_id = usage_months.team_id) - usage_months.used))`;

const COUNT_BY_DAY = `
    insert into usage_days (team_id, day, used)
    select team_id, $5, granted from counted where granted > 0
    on conflict (team_id, day) do update set used = usage_days.used + excluded.used`;

/**
 * The whole claim as one statement, which is a transaction by itself: on Postgres each statement costs a
 * round trip, and while a claim is under way its seats stand empty.
 *
 * It reads the queues and when the next job not yet due comes, takes the due jobs that nobody else holds,
 * counts them against each team's month (holding the month's row), fails what is over the limit, and
 * hands out the rest. Queues with a concurrency limit are left out: their running jobs must be counted
 * under a lock (`claimInTransaction`).
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
    where q.is_paused = 0 and q.concurrency_limit is null and q.knows_plan
      and exists (${livingNode(dialect, '$2')})
    limit ${MOST_CLAIMED}
  ), wanted as materialized (
    select team_id, count(*) as runs, coalesce(min(monthly_limit), ${2 ** 52}) as monthly_limit
    from due group by team_id order by team_id
  ), counted as (
    insert into usage_months (team_id, month, used, granted)
    select team_id, $4, least(runs, monthly_limit), least(runs, monthly_limit) from wanted
    on conflict (team_id, month) do update set
      granted = ${GRANTED}, used = usage_months.used + ${GRANTED}
    returning team_id, granted
  ), counted_by_day as (${COUNT_BY_DAY}
  ), ranked as materialized (
    select team_id, id, granted,
      row_number() over (partition by team_id order by scheduled_at, id) as place
    from due join counted using (team_id)
  ), claimed as (
    update jobs set started_at = $3,
      status = case when place <= granted then 'processing' else 'failed' end,
      claimed_by = case when place <= granted then $2::uuid end,
      completed_at = case when place <= granted then null else $3::bigint end,
      duration_ms = case when place <= granted then null else 0 end,
      reason = case when place <= granted then null else 'limit_exceeded' end,
      error_message = case when place <= granted then null else 'Monthly limit reached' end
    from ranked
    where jobs.team_id = ranked.team_id and jobs.id = ranked.id
    returning ${CLAIMED_COLUMNS}, jobs.status as claimed_status
  ), blocked as (
    insert into outcome_hours (team_id, hour, outcome, runs)
    select team_id, $3::bigint - $3::bigint % 3600000, 'failed', count(*)
    from claimed where claimed_status = 'failed' group by 1 order by 1
    on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs
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
  asked: readonly QueueSeats[],
  claimant: Claimant,
  knownPlans: KnownPlans,
): Promise<Claim & { limited: QueueSeats[] }> {
  const rows = await runClaim(room, asked, claimant, knownPlans);
  const strangers = rows.filter((row) => !row.knows_plan && row.concurrency_limit === null);
  if (strangers.length > 0) {
    // The first claim of a plan's first queue: nothing was taken from it yet.
    for (const { plan } of strangers) knownPlans.add(plan);
    const again = asked.filter(({ queueId }) => strangers.some((row) => row.for_queue === queueId));
    const known = rows.filter((row) => row.knows_plan || row.concurrency_limit !== null);
    return readClaim(room, asked, claimant, [
      ...known,
      ...(await runClaim(room, again, claimant, knownPlans)),
    ]);
  }
  return readClaim(room, asked, claimant, rows);
}

async function runClaim(
  { db }: ClaimRoom,
  asked: readonly QueueSeats[],
  { nodeId, now, monthlyLimitOf }: Claimant,
  knownPlans: KnownPlans,
): Promise<ClaimRow[]> {
  const at = new Date(now).toISOString();
  const limits = [...knownPlans].map((plan) => ({ plan, monthly_limit: monthlyLimitOf(plan) }));
  return db.runAlone(
    bindHot(db.dialect, claimAtOnceStatement, [
      packSeats(asked),
      nodeId,
      now,
      at.slice(0, 7),
      at.slice(0, 10),
      packRows(LIMIT, limits),
    ]),
  );
}

function readClaim(
  room: ClaimRoom,
  asked: readonly QueueSeats[],
  { now }: Claimant,
  rows: readonly ClaimRow[],
): Claim & { limited: QueueSeats[] } {
  const byQueue = Map.groupBy(rows, ({ for_queue }) => for_queue);
  const jobs = rows.flatMap((row) =>
    row.claimed_status === null ? [] : [row as JobRow & ClaimRow],
  );
  const limitOf = (queueId: string) => byQueue.get(queueId)?.[0]?.concurrency_limit ?? null;
  const limited = asked.filter(({ queueId }) => limitOf(queueId) !== null);
  return {
    claimed: jobs
      .filter(({ claimed_status }) => claimed_status === 'processing')
      .toSorted(earlierFirst)
      .map((row) => claimedJob(row, row, room, now)),
    blocked: jobs.filter(({ claimed_status }) => claimed_status === 'failed').length,
    queues: asked
      .filter((each) => !limited.includes(each))
      .map((each) => stateOf(each, byQueue.get(each.queueId) ?? [], jobs.length >= MOST_CLAIMED)),
    limited,
  };
}

/**
 * A queue that gave all it was asked for, or whose rows were cut off by the bound of a claim, may have more,
 * due no earlier than the last of them; so may one whose team came to a plan of unknown limit between the two
 * statements. Else its next one is known.
 */
function stateOf(
  { queueId, seats, from = 0 }: QueueSeats,
  rows: readonly ClaimRow[],
  isCutOff: boolean,
): Claim['queues'][number] {
  const [queue] = rows;
  if (!queue) return { queueId, nextDueAt: null, holds: 'gone' };
  if (queue.is_paused === 1) return { queueId, nextDueAt: queue.next_due_at, holds: 'paused' };
  const taken = rows.flatMap(({ scheduled_at }) => scheduled_at ?? []);
  const mayHaveMore = isCutOff || taken.length >= seats || !queue.knows_plan;
  const nextDueAt = mayHaveMore ? Math.max(from, ...taken) : queue.next_due_at;
  return { queueId, nextDueAt, holds: 'nothing' };
}
