import type { Clock } from '#domain/clock';
import type { Allowance } from '#domain/rate';
import { joinClaims } from '../runs/claim.ts';
import type { Claim, Claimant, ClaimedJob, ClaimContext, FlowSlots } from '../runs/claims.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import {
  allowanceOf,
  CLAIMED_COLUMNS,
  claimedJob,
  type ClaimJobs,
  earlierFirst,
  heldByRate,
  type ClaimedJobRow,
  openSlots,
  packSlots,
  QUEUE_COLUMNS,
  type ClaimedQueueRow,
  SLOTS,
  whatHolds,
} from '../runs/due-jobs.ts';
import { findHeldFlows, HeldFlows, isHeldUp } from '../runs/held-rows.ts';
import { bindPrepared, preparedStatement, runPrepared } from '../database/prepared.ts';
import { livingNode } from '../nodes/living-node.ts';
import { countBatch } from '../figures/batch-counts.ts';
import { KEPT_COLUMNS, OUTCOME } from '../runs/run-tables.ts';
import { insertEnded, overLimit } from '../runs/settlement.ts';
import { addUsage, countMonthsOf, periodsOf, UNLIMITED } from '../figures/usage.ts';
import {
  KEEP_TAKEN,
  LAST_TAKEN,
  packTaken,
  RECOUNT_MS,
  RUNNING_IDS,
  Strangers,
  TAKEN,
  type TakenSlots,
} from './taken-slots.ts';
import { TYPES } from './sql.ts';

/**
 * The most jobs of one claim; further ones wait for the next. The planner needs this number: it does not know the
 * slots, and would plan for a tenth of all waiting jobs.
 */
const MOST_CLAIMED = 1000;

const LIMIT = { plan: 'text', monthly_limit: 'bigint' } as const satisfies Fields;

/** One row for each requested queue, or one for each of its claimed jobs if there are any. */
type ClaimRow = Omit<ClaimedQueueRow, 'id'> & {
  for_queue: string;
  next_due_at: number | null;
  knows_plan: boolean;
  /** False: the job is over its team's monthly limit. */
  is_granted: boolean | null;
} & (ClaimedJobRow | { [K in keyof ClaimedJobRow]: null });

/** The outcome of jobs over their team's monthly limit; $3 now. */
const OVER_LIMIT = Object.entries(overLimit(0)).map(([column, value]) => {
  const type = OUTCOME[column as keyof typeof OUTCOME];
  if (column === 'completed_at') return `$3::bigint as ${column}`;
  if (value === null) return `null::${type === 'bytes' ? 'text' : TYPES[type]} as ${column}`;
  return `${typeof value === 'number' ? value : `'${String(value)}'`} as ${column}`;
});

/** Whether claims from a queue `q` have to be made one after the other: it has a concurrency limit, or a rate. */
const IS_LIMITED = '(q.concurrency_limit is not null or q.rate is not null)';
const isLimited = (queue: Pick<ClaimedQueueRow, 'concurrency_limit' | 'rate'>) =>
  queue.concurrency_limit !== null || queue.rate !== null;

/**
 * The whole claim in one statement: each statement costs a round trip, and the slots are idle while a claim is under
 * way.
 *
 * It reads the queues and the due time of the next job that is not due yet, takes due jobs that no other transaction
 * has locked, counts them against each team's month (locking the month's row), fails those over the limit, and returns
 * the others.
 *
 * Each part is `materialized`, and jobs are joined to one part only. A plan made while the table was empty is kept, and
 * must not read all of a team's jobs when there are many. Without `materialized`, due jobs would be chosen again for
 * each row, with other results each time, and exceed the slots.
 *
 * $1 slots by queue, $2 node, $3 now, $4 month, $5 day, $6 limits by plan, $7 running jobs as they were counted
 *
 * @param isCounted  whether running jobs were counted under a lock; otherwise queues with a concurrency limit or a rate
 * are skipped
 */
function claimText(dialect: Dialect, isCounted: boolean): string {
  return `
  with asked as materialized (
    select queue_id, slots, from_at from ${dialect.rows(SLOTS, 1)} ${dialect.briefly}
  ), limits as materialized (
    select plan, monthly_limit from ${dialect.rows(LIMIT, 6)}
  ), open_queues as materialized (
    select ${QUEUE_COLUMNS}, asked.slots, asked.from_at, limits.plan is not null as knows_plan,
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
      order by jobs.scheduled_at, jobs.id limit q.slots for update skip locked
    ) j
    where q.is_paused = 0 and q.knows_plan ${isCounted ? '' : `and not ${IS_LIMITED}`}
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
    update jobs set started_at = $3, status = 'processing', claimed_by = $2::uuid
    from ranked
    where ${dialect.hasKeyOf('jobs', 'ranked')} and place <= granted
    returning ${CLAIMED_COLUMNS}, true as is_granted
  ), over_limit as (
    delete from jobs using ranked
    where ${dialect.hasKeyOf('jobs', 'ranked')} and place > granted
    returning ${KEPT_COLUMNS.jobs.map((name) => (name === 'started_at' ? '$3::bigint as started_at' : `jobs.${name}`)).join(', ')}
  ), failed as materialized (
    select over_limit.*, ${OVER_LIMIT.join(', ')} from over_limit
  ), uncounted as (
    select failed.*, queue_id as source_id, null::integer as duration_step from failed
  ), written as (${insertEnded(dialect, 'jobs', { kept: 'failed', outcome: 'failed', from: 'failed' })}
  ), blocked as (${countBatch('uncounted')}
  ), drawn as (
    select * from claimed union all select ${CLAIMED_COLUMNS}, false from failed as jobs
  ) ${isCounted ? `, ${KEEP_TAKEN(dialect.rows(TAKEN, 7))}` : ''}
  select q.id as for_queue, q.timeout_seconds, q.concurrency_limit, q.rate, q.assertions, q.is_paused,
    q.slow_rule, q.plan, q.sealed_signing_secret, q.knows_plan, q.next_due_at, drawn.*
  from open_queues q left join drawn on drawn.queue_id = q.id`;
}

const claimAtOnce = preparedStatement<ClaimRow>('claim-jobs-at-once', (dialect) =>
  claimText(dialect, false),
);
const claimCounted = preparedStatement<ClaimRow>('claim-counted-jobs', (dialect) =>
  claimText(dialect, true),
);

const holdLimitedQueues = preparedStatement<{ id: string }>(
  'hold-limited-queues',
  (dialect) => `
  select q.id from ${dialect.rows(SLOTS, 1)} ${dialect.briefly} cross join queues q
  where q.id = given.queue_id and ${IS_LIMITED}
  order by q.id ${dialect.lock('for no key update of q')}`,
);

interface QueueState extends Pick<
  ClaimedQueueRow,
  'id' | 'is_paused' | 'concurrency_limit' | 'rate'
> {
  team_id: string;
  number: number | null;
  is_known: boolean;
  recount_until: number;
  running_ids: string[] | null;
  rate_spent_until: number | null;
}

/** The running jobs, by the list of the last claim (taken-slots.ts). $2 now, $3 whether to recount */
const readTaken = preparedStatement<QueueState>(
  'read-taken-slots',
  (dialect) => `
  select q.id, q.team_id, q.is_paused, q.concurrency_limit, q.rate, last.number,
    last.rate_spent_until, last.job_ids is not null as is_known, coalesce(last.recount_until, 0) as recount_until,
    ${RUNNING_IDS} as running_ids
  from ${dialect.rows(SLOTS, 1)} cross join queues q ${LAST_TAKEN}
  where q.id = given.queue_id`,
);

/** Finds queues that are held. For those with a limit or a rate a claim locks the queue's row too. */
const findHeldQueues = findHeldFlows(
  'find-held-queues',
  (given) => `
    select q.id, q.team_id, ${IS_LIMITED} as is_limited from ${given}
    join queues q on q.id = given.id`,
  {
    freeRows: `, free_queues as materialized (
      select id from queues
      where id = any(array(select id from flows where is_limited))
      for no key update skip locked
    )`,
    isHeld: '(is_limited and id not in (select id from free_queues))',
  },
);

export function jobClaims(context: ClaimContext, clock: Clock): ClaimJobs {
  const heldFlows = new HeldFlows<FlowSlots>(context.db, findHeldQueues, (flow) => flow);
  const strangers = new Strangers(context.db, clock);
  return async (asked, claimant) => {
    const { now } = claimant;
    const atOnce = await heldFlows.claimBeside(asked, now, (free) =>
      claimUnlimited(context, free, claimant),
    );
    const limited = atOnce.claims.flatMap((each) => each.limited);
    const counted = await heldFlows.claimBeside(limited, now, async (free) =>
      claimLimited(context, free, claimant, await strangers.areThere()),
    );
    return joinClaims([...atOnce.claims, ...counted.claims], [...atOnce.held, ...counted.held]);
  };
}

/** @returns the claim, and the queues that were skipped because they have a limit or a rate */
async function claimUnlimited(
  context: ClaimContext,
  asked: readonly FlowSlots[],
  claimant: Claimant,
): Promise<Claim<ClaimedJob> & { limited: FlowSlots[] }> {
  const claim = (some: readonly FlowSlots[]) =>
    context.db.autocommit(
      bindPrepared(context.db.dialect, claimAtOnce, parametersOf(context, some, claimant)),
    );
  let rows = await claim(asked);
  const strangers = rows.filter(({ knows_plan }) => !knows_plan);
  for (const { plan } of strangers) context.knownPlans.add(plan);
  const isAgain = (queueId: string) =>
    strangers.some((row) => row.for_queue === queueId && !isLimited(row));
  const again = asked.filter(({ id }) => isAgain(id));
  // These rows are of queues whose plan was not known yet, so nothing was taken from them.
  rows = rows.filter((row) => !isAgain(row.for_queue));
  const repeated = await claimAgain(again, claim, rows);
  rows.push(...(repeated ?? []));
  const held = repeated === null ? again : [];
  const limitedIds = new Set(rows.flatMap((row) => (isLimited(row) ? [row.for_queue] : [])));
  const limited = asked.filter(({ id }) => limitedIds.has(id));
  const others = asked.filter((flow) => !limitedIds.has(flow.id) && !held.includes(flow));
  return { ...joinClaims([readClaim(context, others, claimant, rows)], held), limited };
}

/**
 * Claims again from flows whose plan is known now. Null: a row is locked. That must not undo what the earlier statement
 * has taken from other flows.
 *
 * @param taken  the rows of the earlier statement; if it took nothing, the error is thrown
 */
async function claimAgain(
  flows: readonly FlowSlots[],
  claim: (flows: readonly FlowSlots[]) => Promise<ClaimRow[]>,
  taken: readonly ClaimRow[],
): Promise<ClaimRow[] | null> {
  if (flows.length === 0) return [];
  try {
    return await claim(flows);
  } catch (error) {
    if (isHeldUp(error) && taken.some((row) => row.is_granted !== null)) return null;
    throw error;
  }
}

/**
 * Claims from queues with a limit or a rate. It locks them before it counts their running jobs and reads what is spent
 * of their rates, so that two nodes cannot both look before either has claimed.
 */
async function claimLimited(
  context: ClaimContext,
  asked: readonly FlowSlots[],
  claimant: Claimant,
  recounts: boolean,
): Promise<Claim<ClaimedJob>> {
  const { dialect } = context.db;
  return context.db.transact(async (trx) => {
    const packed = packSlots(asked);
    await runPrepared(trx, dialect, holdLimitedQueues, [packed]);
    const queueStates = await runPrepared(trx, dialect, readTaken, [
      packed,
      claimant.now,
      recounts,
    ]);
    const queues = new Map(queueStates.map((queue) => [queue.id, queue]));
    const runningIn = (id: string) => queues.get(id)?.running_ids?.length ?? 0;
    const allowances = new Map(
      queueStates.map((queue) => [
        queue.id,
        allowanceOf(queue, queue.rate_spent_until, claimant.now),
      ]),
    );
    const open: Required<Omit<FlowSlots, 'teamId'>>[] = [];
    for (const { id, slots, from = 0 } of asked) {
      const queue = queues.get(id);
      const most = openSlots(queue, runningIn(id), slots, allowances.get(id) ?? null);
      open.push({ id, slots: most, from });
    }
    const isOpen = new Set(open.flatMap(({ id, slots }) => (slots > 0 ? [id] : [])));
    const taken = queueStates.flatMap((queue) =>
      isOpen.has(queue.id) ? listOf(queue, allowances.get(queue.id) ?? null, claimant.now) : [],
    );
    const parameters = [...parametersOf(context, open, claimant), packTaken(taken)];
    const rows = await runPrepared(trx, dialect, claimCounted, parameters);
    return readClaim(context, open, claimant, rows, { runningIn, allowances });
  });
}

function listOf(queue: QueueState, allowance: Allowance | null, now: number): TakenSlots[] {
  const { id, team_id, number, is_known, recount_until, running_ids } = queue;
  if (running_ids === null && allowance === null) return [];
  const until = is_known || running_ids === null ? recount_until : now + RECOUNT_MS;
  const list = { number: number ?? 0, job_ids: running_ids, recount_until: until };
  const rate = { rate_from: allowance?.from ?? null, rate_step: allowance?.stepUs ?? null };
  return [{ team_id, queue_id: id, ...list, ...rate }];
}

function parametersOf(
  { knownPlans }: ClaimContext,
  asked: readonly FlowSlots[],
  { nodeId, now, monthlyLimitOf }: Claimant,
): unknown[] {
  const { month, day } = periodsOf(now);
  const limits = [...knownPlans].map((plan) => ({ plan, monthly_limit: monthlyLimitOf(plan) }));
  return [packSlots(asked), nodeId, now, month, day, packRows(LIMIT, limits)];
}

/** What was found of queues with a limit or a rate, before the claim. */
interface Counted {
  runningIn: (queueId: string) => number;
  allowances: ReadonlyMap<string, Allowance | null>;
}

const UNCOUNTED: Counted = { runningIn: () => 0, allowances: new Map() };

function readClaim(
  context: ClaimContext,
  asked: readonly FlowSlots[],
  { now }: Claimant,
  rows: readonly ClaimRow[],
  { runningIn, allowances }: Counted = UNCOUNTED,
): Claim<ClaimedJob> {
  const byQueue = Map.groupBy(rows, ({ for_queue }) => for_queue);
  const jobs = rows.flatMap((row) =>
    row.is_granted === null ? [] : [row as ClaimedJobRow & ClaimRow],
  );
  const isCutOff = jobs.length >= MOST_CLAIMED;
  return {
    claimed: jobs
      .filter(({ is_granted }) => is_granted)
      .toSorted(earlierFirst)
      .map((row) => claimedJob(row, row, context, now)),
    blocked: jobs.filter(({ is_granted }) => !is_granted).length,
    flows: asked.map((flow) => {
      const ofQueue = byQueue.get(flow.id) ?? [];
      const started = ofQueue.filter(({ is_granted }) => is_granted).length;
      return {
        ...stateOf(flow, ofQueue, runningIn(flow.id), isCutOff),
        ...heldByRate(allowances.get(flow.id) ?? null, started, now),
      };
    }),
  };
}

/**
 * The state of a queue after the claim. It may have more due jobs if it used all its slots, if its rows were cut off by
 * `MOST_CLAIMED`, or if its team's plan changed to an unknown one between the two statements; those are due no earlier
 * than the last taken one. Otherwise the statement has returned the next due time.
 */
function stateOf(
  { id, slots, from = 0 }: FlowSlots,
  rows: readonly ClaimRow[],
  running: number,
  isCutOff: boolean,
): Claim['flows'][number] {
  const [queue] = rows;
  const taken = rows.flatMap(({ scheduled_at }) => scheduled_at ?? []);
  const holds = whatHolds(queue, running + taken.length);
  if (!queue) return { id, nextDueAt: null, holds };
  const mayHaveMore = isCutOff || taken.length >= slots || !queue.knows_plan;
  const isNext = mayHaveMore && holds !== 'paused';
  return { id, nextDueAt: isNext ? Math.max(from, ...taken) : queue.next_due_at, holds };
}
