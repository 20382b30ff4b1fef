import type { Allowance } from '#domain/rate';
import { joinClaims } from './claim.ts';
import type { Claim, Claimant, ClaimedJob, ClaimContext, GroupSlots } from './claims.ts';
import type { Trx } from '../database/database.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import {
  allowanceOf,
  CLAIMED_COLUMNS,
  claimedJobs,
  type ClaimJobs,
  earlierFirst,
  delayedStart,
  pausedByWindow,
  type ClaimedJobRow,
  openSlots,
  packSlots,
  QUEUE_COLUMNS,
  type ClaimedQueueRow,
  SLOTS,
  blockerOf,
} from './due-jobs.ts';
import { findLockedTeams, SkippedGroups } from './locked-groups.ts';
import { preparedStatement } from '../database/prepared.ts';
import { livingNode } from '../nodes/living-node.ts';
import { countStartsOf } from '../figures/batch-counts.ts';
import { nearLimit, periodsOf, usedBy } from '../figures/usage.ts';
import { keepWithinLimit } from './month-limit.ts';
import {
  KEEP_TAKEN,
  LAST_TAKEN,
  packTaken,
  RECOUNT_MS,
  RUNNING_IDS,
  TAKEN,
  type TakenSlots,
} from './taken-slots.ts';

/** Without this number, the planner would plan for a tenth of all waiting jobs. */
const MOST_CLAIMED = 1000;

const LIMIT = { plan: 'text', monthly_limit: 'bigint' } as const satisfies Fields;

interface OpenQueue extends Omit<ClaimedQueueRow, 'used'> {
  team_id: string;
  next_due_at: number | null;
  monthly_limit: number | null;
  /** Whether the team's runs are counted under the lock of its month. */
  is_near_limit: boolean;
  /** Locked jobs, in all queues. */
  chosen: number;
}

type ClaimRow =
  | (ClaimedJobRow & { queue: null })
  | ({ [K in keyof ClaimedJobRow]: null } & { queue: string });

interface RowsOfClaim {
  jobs: ClaimedJobRow[];
  queues: ReadonlyMap<string, OpenQueue>;
}

function readRows(rows: readonly ClaimRow[]): RowsOfClaim {
  const jobs: ClaimedJobRow[] = [];
  const queues = new Map<string, OpenQueue>();
  for (const row of rows) {
    if (row.queue === null) jobs.push(row);
    else {
      const queue = JSON.parse(row.queue) as OpenQueue;
      queues.set(queue.id, queue);
    }
  }
  return { jobs: jobs.toSorted(earlierFirst), queues };
}

/** Two claims of such a queue must not overlap. */
const IS_LIMITED = '(q.concurrency_limit is not null or q.rate is not null)';
const isInSteps = ({ concurrency_limit, rate, is_near_limit, pausing_windows }: OpenQueue) =>
  concurrency_limit !== null || rate !== null || is_near_limit || pausing_windows !== null;

const FAR_STARTS = `(
    select claimed.team_id, count(*) as runs
    from claimed join open_queues q on q.id = claimed.queue_id and not q.is_near_limit
    group by claimed.team_id) as far`;

/**
 * One statement, because each costs a round trip while slots are idle. It claims due jobs that no one has locked, and
 * counts them for the month unless the team is near its limit.
 *
 * Parts are `materialized`: otherwise due jobs would be chosen again for each row and exceed the slots. A job that was
 * changed between snapshot and lock is `chosen` but not claimed: its new place isn't visible.
 *
 * $1 slots by queue, $2 node, $3 now, $4 month, $5 limits by plan, $6 the limit of other plans, $7 running jobs as they
 * were counted
 * @param inSteps in a transaction that has locked limited queues and counts near the monthly limit; otherwise these
 * queues are skipped
 */
function claimText(dialect: Dialect, inSteps: boolean): string {
  return `
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
  ), due as materialized (
    select j.ctid
    from open_queues q cross join lateral (
      select jobs.ctid from jobs
      where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at <= $3
        and jobs.scheduled_at >= q.from_at
      order by jobs.scheduled_at, jobs.id limit q.slots for update skip locked
    ) j
    where q.is_paused = 0 ${inSteps ? '' : `and not ${IS_LIMITED} and not q.is_near_limit and q.pausing_windows is null`}
      and exists (${livingNode(dialect, '$2')})
    limit ${MOST_CLAIMED}
  ), claimed as (
    update jobs set started_at = $3, status = 'processing', claimed_by = $2::uuid
    where jobs.ctid = any(array(select ctid from due))
    returning ${[...CLAIMED_COLUMNS, 'ctid::text as place'].map((column) => `jobs.${column}`).join(', ')}
  ), counted as (${countStartsOf(FAR_STARTS, '$3::bigint')}
  ) ${inSteps ? `, ${KEEP_TAKEN(dialect.rows(TAKEN, 7))}` : ''}
  select claimed.*, null as queue from claimed
  union all
  select ${[...CLAIMED_COLUMNS, 'place'].map(() => 'null').join(', ')}, row_to_json(q)::text
  from (select open_queues.*, (select count(*) from due) as chosen from open_queues) as q`;
}

const claimJobsAtOnce = preparedStatement<ClaimRow>('claim-jobs-at-once', (dialect) =>
  claimText(dialect, false),
);
const claimJobsInSteps = preparedStatement<ClaimRow>('claim-jobs-in-steps', (dialect) =>
  claimText(dialect, true),
);

const lockLimitedQueues = preparedStatement<{ id: string }>(
  'lock-limited-queues',
  (dialect) => `
  select q.id from ${dialect.rows(SLOTS, 1)} ${dialect.limitLockWaits} cross join queues q
  where q.id = given.queue_id and ${IS_LIMITED}
  order by q.id ${dialect.lock('for no key update of q skip locked')}`,
);

interface QueueState extends Pick<
  ClaimedQueueRow,
  'id' | 'is_paused' | 'concurrency_limit' | 'rate' | 'pausing_windows'
> {
  team_id: string;
  number: number | null;
  is_known: boolean;
  recount_until: number;
  running_ids: string[] | null;
  rate_spent_until: number | null;
}

/** The running jobs, by the list of the last claim (taken-slots.ts). $2 now */
const readTaken = preparedStatement<QueueState>(
  'read-taken-slots',
  (dialect) => `
  select q.id, q.team_id, q.is_paused, q.concurrency_limit, q.rate, last.number,
    (select t.pausing_windows from teams t where t.id = q.team_id) as pausing_windows,
    last.rate_spent_until, last.job_ids is not null as is_known, coalesce(last.recount_until, 0) as recount_until,
    ${RUNNING_IDS} as running_ids
  from ${dialect.rows(SLOTS, 1)} cross join queues q ${LAST_TAKEN}
  where q.id = given.queue_id`,
);

export function jobClaims(context: ClaimContext): ClaimJobs {
  const skipped = new SkippedGroups();
  return async (asked, claimant) => {
    const { inSteps, ...atOnce } = await claimAtOnce(context, asked, claimant);
    if (inSteps.length === 0) return atOnce;
    const claims = await skipped.claimByTeam(inSteps, (some) =>
      claimInSteps(context, skipped, some, claimant),
    );
    return joinClaims([atOnce, ...claims]);
  };
}

/** A queue that `claimAtOnce` has skipped. */
interface StepGroup extends GroupSlots {
  teamId: string;
  isNearLimit: boolean;
}

async function claimAtOnce(
  context: ClaimContext,
  asked: readonly GroupSlots[],
  claimant: Claimant,
): Promise<Claim<ClaimedJob> & { inSteps: StepGroup[] }> {
  const { db } = context;
  const rows = readRows(await db.rows(claimJobsAtOnce, parametersOf(asked, claimant)));
  const inSteps: StepGroup[] = [];
  const others = asked.filter((group) => {
    const queue = rows.queues.get(group.id);
    if (queue === undefined || !isInSteps(queue)) return true;
    inSteps.push({ ...group, teamId: queue.team_id, isNearLimit: queue.is_near_limit });
    return false;
  });
  return { ...readClaim(context, others, claimant.now, rows), inSteps };
}

/**
 * For queues with a limit or rate, and teams near their monthly limit. Locks before it counts: otherwise two nodes
 * could both look before either has claimed. Locked queues are skipped.
 */
async function claimInSteps(
  context: ClaimContext,
  skipped: SkippedGroups,
  asked: readonly StepGroup[],
  claimant: Claimant,
): Promise<Claim<ClaimedJob>> {
  return context.db.transact(async (trx) => {
    const { now } = claimant;
    const packed = packSlots(asked);
    const ours = new Set((await trx.rows(lockLimitedQueues, [packed])).map(({ id }) => id));
    const queueStates = await trx.rows(readTaken, [packed, now]);
    const queues = new Map(queueStates.map((queue) => [queue.id, queue]));
    const near = asked.flatMap(({ teamId, isNearLimit }) => (isNearLimit ? [teamId] : []));
    const lockedTeams = await findLockedTeams(trx, near, now);
    const isSkipped = ({ id, teamId }: StepGroup) => {
      const queue = queues.get(id);
      const isLimited = queue !== undefined && (queue.concurrency_limit ?? queue.rate) !== null;
      return (isLimited && !ours.has(id)) || lockedTeams.has(teamId);
    };
    const free = asked.filter((group) => !isSkipped(group));
    const states = skipped.statesOf(asked.filter(isSkipped));
    skipped.free(free);
    if (free.length === 0) return { claimed: [], blocked: 0, groups: states };
    const runningIn = (id: string) => queues.get(id)?.running_ids?.length ?? 0;
    const allowances = new Map(
      queueStates.map((queue) => [queue.id, allowanceOf(queue, queue.rate_spent_until, now)]),
    );
    const allowanceIn = (id: string) => allowances.get(id) ?? null;
    const windowEndOf = (id: string) => pausedByWindow(queues.get(id), now);
    const open = free.map(({ id, slots, from = 0 }) => {
      if (windowEndOf(id) !== null) return { id, slots: 0, from };
      return { id, slots: openSlots(queues.get(id), runningIn(id), slots, allowanceIn(id)), from };
    });
    const taken = open.flatMap(({ id, slots }) => {
      const queue = queues.get(id);
      return queue && slots > 0 ? listOf(queue, allowanceIn(id), now) : [];
    });
    const parameters = [...parametersOf(open, claimant), packTaken(taken)];
    const rows = readRows(await trx.rows(claimJobsInSteps, parameters));
    const over = await endOverLimit(trx, claimant, rows);
    await giveBackRates(trx, taken, over);
    const steps = { runningIn, allowances, over, windowEndOf };
    const claim = readClaim(context, open, now, rows, steps);
    return { ...claim, groups: [...claim.groups, ...states] };
  });
}

async function endOverLimit(
  trx: Trx,
  { nodeId, now }: Claimant,
  { jobs, queues }: RowsOfClaim,
): Promise<ReadonlySet<ClaimedJobRow>> {
  const claim = { table: 'jobs', nodeId, now } as const;
  const within = await keepWithinLimit(trx, claim, jobs, ({ queue_id }) => {
    const queue = queues.get(queue_id);
    return queue?.is_near_limit ? queue.monthly_limit : null;
  });
  const kept = new Set(within);
  return new Set(jobs.filter((job) => !kept.has(job)));
}

const SPENT = {
  team_id: 'id',
  queue_id: 'id',
  number: 'bigint',
  unused: 'bigint',
} as const satisfies Fields;

const giveBack = preparedStatement<never>(
  'give-back-rates',
  (dialect) => `
  update taken_slots set rate_spent_until = rate_spent_until - given.unused from ${dialect.rows(SPENT, 1)}
  where taken_slots.team_id = given.team_id and taken_slots.queue_id = given.queue_id
    and taken_slots.number = given.number`,
);

/** Jobs over the monthly limit aren't sent, so they use nothing of their queue's rate. */
async function giveBackRates(
  trx: Trx,
  taken: readonly TakenSlots[],
  over: ReadonlySet<ClaimedJobRow>,
): Promise<void> {
  const unsent = Map.groupBy(over, ({ queue_id }) => queue_id);
  const spent = taken.flatMap(({ team_id, queue_id, number, rate_step }) => {
    const jobs = unsent.get(queue_id)?.length ?? 0;
    if (jobs === 0 || rate_step === null) return [];
    return [{ team_id, queue_id, number: (number ?? 0) + 1, unused: jobs * rate_step }];
  });
  if (spent.length > 0) await trx.rows(giveBack, [packRows(SPENT, spent)]);
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
  asked: readonly GroupSlots[],
  { nodeId, now, limits: { byPlan, other } }: Claimant,
): unknown[] {
  const limits = [...byPlan].map(([plan, monthly_limit]) => ({ plan, monthly_limit }));
  return [packSlots(asked), nodeId, now, periodsOf(now).month, packRows(LIMIT, limits), other];
}

interface Steps {
  runningIn: (queueId: string) => number;
  allowances: ReadonlyMap<string, Allowance | null>;
  over: ReadonlySet<ClaimedJobRow>;
  windowEndOf: (queueId: string) => number | null;
}

const NO_STEPS: Steps = {
  runningIn: () => 0,
  allowances: new Map(),
  over: new Set(),
  windowEndOf: () => null,
};

function readClaim(
  context: ClaimContext,
  asked: readonly GroupSlots[],
  now: number,
  { jobs, queues }: RowsOfClaim,
  { runningIn, allowances, over, windowEndOf }: Steps = NO_STEPS,
): Claim<ClaimedJob> {
  const taken = Map.groupBy(jobs, ({ queue_id }) => queue_id);
  const isCutOff = jobs.length >= MOST_CLAIMED;
  const [{ chosen = 0 } = {}] = queues.values();
  const isPassedOver = jobs.length < chosen;
  const started = jobs.filter((job) => !over.has(job));
  return {
    claimed: claimedJobs(started, queues.values(), context, now),
    blocked: over.size,
    groups: asked.map((group) => {
      const ofQueue = taken.get(group.id) ?? [];
      const sent = ofQueue.filter((job) => !over.has(job)).length;
      return {
        ...stateOf(group, queues.get(group.id), ofQueue, runningIn(group.id), isCutOff),
        ...(isPassedOver && { nextDueAt: group.from ?? 0 }),
        ...delayedStart(allowances.get(group.id) ?? null, sent, windowEndOf(group.id), now),
      };
    }),
  };
}

/** Due again if it used all slots or was cut off by `MOST_CLAIMED`. */
function stateOf(
  { id, slots, from = 0 }: GroupSlots,
  queue: OpenQueue | undefined,
  taken: readonly ClaimedJobRow[],
  running: number,
  isCutOff: boolean,
): Claim['groups'][number] {
  const blocker = blockerOf(queue, running + taken.length);
  if (!queue) return { id, nextDueAt: null, blocker };
  const mayHaveMore = isCutOff || taken.length >= slots;
  const isNext = mayHaveMore && blocker !== 'paused';
  const last = taken.at(-1)?.scheduled_at ?? 0;
  return { id, nextDueAt: isNext ? Math.max(from, last) : queue.next_due_at, blocker };
}
