import { findPauseEnd } from '#domain/team/maintenance';
import { type Allowance, allowAt, nextStart, parseRate } from '#domain/team/rate';
import { readPausingWindows } from '../alerts/window-rows.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Runner } from '../database/runner.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import { usedBy } from '../figures/usage.ts';
import type { ClaimInput, Taken } from './claim.ts';
import type { ClaimedGroup, GroupSlots } from './claims.ts';
import {
  blockerOf,
  type ClaimedJobRow,
  type ClaimedQueueRow,
  earlierFirst,
  QUEUE_COLUMNS,
  SLOTS,
  stateOf,
  type TakenJobs,
} from './due-jobs.ts';
import { findLockedTeams } from './locked-groups.ts';
import { countRuns, nearLimitOf } from './month-limit.ts';

export interface CountedQueue extends ClaimedQueueRow {
  team_id: string;
  next_due_at: number | null;
  running: number;
  rate_spent_until: number | null;
}

/** $1 `SLOTS`, $2 now, $3 month */
export const readQueues = (dialect: Dialect, columns: string, join = '') => `
  select ${QUEUE_COLUMNS}, q.team_id, ${usedBy('t.id', dialect.$(3))} as used, (
      select j.scheduled_at from jobs j
      where j.queue_id = q.id and j.status = 'pending' and j.scheduled_at > ${dialect.$(2)}
      order by j.scheduled_at, j.id limit 1
    ) as next_due_at, ${columns}
  from ${dialect.rows(SLOTS, 1)} cross join queues q cross join teams t ${join}
  where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null`;

/** How each database reads and writes. */
interface Steps<Queue extends CountedQueue> {
  /** @returns the queues with a limit or rate, unless another claim has them */
  lock(runner: Runner, asked: readonly GroupSlots[]): Promise<ReadonlySet<string> | 'all'>;
  read(runner: Runner, input: ClaimInput): Promise<Queue[]>;
  take(runner: Runner, input: ClaimInput): Promise<TakenJobs>;
  /** For the next claim. */
  keep(runner: Runner, started: readonly Started<Queue>[], now: number): Promise<void>;
}

/** The jobs that a claim has started in a queue. */
export interface Started<Queue extends CountedQueue> {
  queue: Queue;
  jobs: readonly ClaimedJobRow[];
  rate_spent_until: number | null;
}

/** Locks before it counts: otherwise two nodes could both look before either has claimed. */
export function claimInSteps<Queue extends CountedQueue>(
  steps: Steps<Queue>,
): TransactionScript<ClaimInput, Taken<Queue, ClaimedJobRow>> {
  return {
    name: 'claim-jobs',
    async run(runner, input) {
      const { asked, nodeId, now, limits } = input;
      const ours = await steps.lock(runner, asked);
      const read = await steps.read(runner, input);
      const near = read.filter((queue) => nearLimitOf(queue, limits) !== null);
      const teamIds = near.map(({ team_id }) => team_id);
      const lockedTeams = await findLockedTeams(runner, teamIds, now);
      const isLocked = ({ id, team_id, concurrency_limit, rate }: Queue) =>
        lockedTeams.has(team_id) ||
        ((concurrency_limit ?? rate) !== null && ours !== 'all' && !ours.has(id));
      const locked = new Set(read.filter(isLocked).map(({ id }) => id));
      const queues = new Map(
        read.flatMap((queue) => (locked.has(queue.id) ? [] : [[queue.id, queue]])),
      );
      const open = asked
        .filter(({ id }) => !locked.has(id))
        .map((group) => openGroup(group, queues.get(group.id), now));
      const wanted = open.map(({ group }) => group).filter(({ slots }) => slots > 0);
      const chosen =
        wanted.length === 0
          ? { jobs: [], chosen: 0 }
          : await steps.take(runner, { ...input, asked: wanted });
      const due = chosen.jobs.toSorted(earlierFirst);
      const claim = { table: 'jobs', nodeId, now } as const;
      const rows = await countRuns(runner, claim, due, ({ queue_id }) =>
        nearLimitOf(queues.get(queue_id), limits),
      );
      const taken = Map.groupBy(due, queueOf);
      const started = Map.groupBy(rows, queueOf);
      const kept = open.flatMap(({ group, allowance }) => {
        const [queue, ofQueue] = [queues.get(group.id), started.get(group.id)];
        if (!queue || !ofQueue) return [];
        const rate_spent_until = allowance && allowance.from + ofQueue.length * allowance.stepUs;
        return [{ queue, jobs: ofQueue, rate_spent_until }];
      });
      await steps.keep(runner, kept, now);
      const states = open.map(({ group, allowance, windowEnd }): ClaimedGroup => {
        const { id } = group;
        const begun = started.get(id)?.length ?? 0;
        const notBefore = windowEnd ?? (allowance && nextStart(allowance, begun));
        const state = stateOf(group, queues.get(id), taken.get(id) ?? [], chosen);
        const isDelayed = notBefore !== null && notBefore > now;
        return isDelayed ? Object.assign(state, { notBefore }) : state;
      });
      return { rows, due: due.length, groups: queues, states, locked };
    },
  };
}

const queueOf = ({ queue_id }: ClaimedJobRow) => queue_id;

interface OpenGroup {
  /** With the slots that its queue has left. */
  group: GroupSlots;
  /** The starts that its rate allows; null for no rate. */
  allowance: Allowance | null;
  /** Of the maintenance windows that pause the queue. */
  windowEnd: number | null;
}

function openGroup(group: GroupSlots, queue: CountedQueue | undefined, now: number): OpenGroup {
  const rate = queue?.rate ? parseRate(queue.rate) : null;
  const allowance = rate && allowAt(rate, queue?.rate_spent_until ?? null, now);
  const windows = readPausingWindows(queue?.pausing_windows ?? null);
  const windowEnd = findPauseEnd(windows, { kind: 'queue', id: group.id }, now);
  const slots = windowEnd === null ? openSlots(queue, group.slots, allowance) : 0;
  return { group: { ...group, slots }, allowance, windowEnd };
}

function openSlots(
  queue: Pick<CountedQueue, 'is_paused' | 'concurrency_limit' | 'running'> | undefined,
  asked: number,
  allowance: Allowance | null,
): number {
  if (!queue || blockerOf(queue) !== 'nothing') return 0;
  const ofLimit = (queue.concurrency_limit ?? Infinity) - queue.running;
  return Math.min(asked, ofLimit, allowance?.slots ?? Infinity);
}
