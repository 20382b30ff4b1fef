import { isId } from '#domain/ids';
import { judgeQueue, judgeWaiting } from '#domain/queue-health';
import { allowAt, nextStart } from '#domain/rate';
import { MOST_COUNTED, MOST_IN_A_ROW, type QueueLoad } from '#store/lists/lists';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type {
  DeletionScope,
  QueueHistory,
  QueueListRow,
  QueueSearch,
  QueueState,
  RateWait,
} from './cron-contract.ts';
import { countSteps, countTimed, deepestSteps, stepsUntil, timeSteps } from './figures.ts';
import { boundPage } from './job-pages.ts';
import { readOutages } from './outages.ts';

/** How many attempts the recent results of a row have. */
const MOST_RESULTS = 50;
const DAY_MS = 86_400_000;
/** A shorter time does not count as waiting. */
const MOMENT_MS = 1_000;

export function createQueuePages(store: Store) {
  const { queues, lists } = store;
  return {
    /**
     * A page of queues in the order of their names.
     *
     * @param page  `cursor`: `next` or `previous` of a page of the same search; `limit`: 1 to 200, default 50
     */
    listQueueRows: (teamId: string, page?: QueueSearch & { cursor?: string; limit?: number }) =>
      listQueueRows(store, teamId, page),
    readQueueRow: async (teamId: string, queueId: string) => {
      const queue = isId(queueId) ? await queues.find(teamId, queueId) : null;
      if (queue === null) return null;
      const states = await readQueueStates(store, teamId, { queues: [queue] });
      return (await rowsOf(store, teamId, states))[0] ?? null;
    },
    /** The jobs that wait for a queue's rate. Null: it has none, is paused, or nothing waits for longer than a moment. */
    readRateWait: async (
      teamId: string,
      { id, rate, isPaused }: Queue,
    ): Promise<RateWait | null> => {
      if (rate === null || isPaused) return null;
      const { due, spentUntil } = await lists.readRateLoad(teamId, id);
      const now = store.clock.now();
      const lastAt = nextStart(allowAt(rate, spentUntil, now), due.count - 1);
      return due.count === 0 || lastAt < now + MOMENT_MS ? null : { due, lastAt };
    },
    /** A queue's history in equal steps of whole hours until now, eight days back at most. Null: no such queue. */
    readQueueHistory: async (
      teamId: string,
      queueId: string,
      asked: { stepMs: number; count: number },
    ) =>
      isId(queueId) && (await queues.find(teamId, queueId))
        ? readHistory(store, teamId, queueId, asked)
        : null,
    describeQueueDeletion: async (
      teamId: string,
      queueId: string,
    ): Promise<DeletionScope | null> => {
      if (!isId(queueId) || (await queues.find(teamId, queueId)) === null) return null;
      const counts = await lists.countTabs(teamId, queueId);
      const waiting = counts.pending.count + counts.retrying.count;
      const unfinished = waiting + counts.processing.count;
      return {
        waiting: {
          count: Math.min(waiting, MOST_COUNTED),
          isMore: counts.pending.isMore || counts.retrying.isMore || waiting > MOST_COUNTED,
        },
        running: counts.processing.count,
        finished: {
          count: Math.max(
            counts.completed.count,
            counts.failed.count,
            counts.all.count - unfinished,
          ),
          isMore: counts.all.isMore,
        },
      };
    },
    /** The queues that Create job offers: those that are not paused (§2.3), by name. */
    listOfferedQueues: async (teamId: string) => {
      const all = await queues.list(teamId);
      return all.filter(({ isPaused }) => !isPaused).map(({ id, name }) => ({ id, name }));
    },
  };
}

/** The state of a queue. As in `judgeQueue`, paused precedes every other state. */
export function standingOf({
  failed,
  health,
}: Pick<QueueListRow | QueueState, 'failed' | 'health'>): 'failing' | 'healthy' | 'paused' {
  if (health === 'paused') return 'paused';
  return failed.count > 0 || health === 'backlogged' ? 'failing' : 'healthy';
}

async function readHistory(
  store: Store,
  teamId: string,
  queueId: string,
  asked: { stepMs: number; count: number },
): Promise<QueueHistory> {
  const { durations, depths, clock } = store;
  const now = clock.now();
  const steps = stepsUntil(now, asked);
  const [hours, looked, outages] = await Promise.all([
    durations.readHours(teamId, queueId, steps.from),
    depths.read(teamId, queueId, steps.from),
    readOutages(store, { from: steps.from }),
  ]);
  return {
    outcomes: countSteps(countTimed(hours), steps, { outages, now }),
    durations: timeSteps(hours, steps),
    depths: deepestSteps(looked, steps),
  };
}

/**
 * A page of queues. Waiting, running and failed jobs are read for the queues of the page, unless the search needs them
 * for all.
 */
async function listQueueRows(
  store: Store,
  teamId: string,
  { cursor, limit, ...search }: QueueSearch & { cursor?: string; limit?: number } = {},
) {
  const all = await store.queues.list(teamId);
  const named = all.filter((queue) => isNamed(queue, search));
  const { status } = search;
  const states =
    status === undefined ? null : await readQueueStates(store, teamId, { queues: named });
  const sought = states?.filter((state) => standingOf(state) === status) ?? null;
  const { items, ...others } = pageOf(sought?.map(({ queue }) => queue) ?? named, {
    cursor,
    limit,
  });
  const shown =
    sought?.filter(({ queue }) => items.includes(queue)) ??
    (await readQueueStates(store, teamId, { queues: items }));
  return { ...others, queues: await rowsOf(store, teamId, shown) };
}

function isNamed({ id, name, tags }: Queue, { text, tag }: QueueSearch): boolean {
  if (tag !== undefined && !tags.includes(tag)) return false;
  const wanted = text?.toLowerCase();
  return wanted === undefined || name.toLowerCase().includes(wanted) || id === wanted;
}

/** The part of a sorted list at a cursor: `n` or `p` and the id after or before which it begins. */
function pageOf(
  sorted: readonly Queue[],
  { cursor, limit }: { cursor: string | undefined; limit: number | undefined },
) {
  const most = boundPage(limit ?? 50);
  const place = sorted.findIndex(({ id }) => id === cursor?.slice(1));
  const isBack = cursor?.charAt(0) === 'p' && place >= 0;
  const from = isBack ? Math.max(0, place - most) : place + 1;
  const items = sorted.slice(from, isBack ? place : from + most);
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    next: last && from + items.length < sorted.length ? `n${last.id}` : null,
    previous: first && from > 0 ? `p${first.id}` : null,
  };
}

async function rowsOf(
  { lists }: Store,
  teamId: string,
  states: readonly QueueState[],
): Promise<QueueListRow[]> {
  const queueIds = states.map(({ queue }) => queue.id);
  const [running, results] = await Promise.all([
    lists.countRunningJobs({ teamId, queueIds }),
    lists.readQueueResults(queueIds, MOST_RESULTS),
  ]);
  return states.map((state) => {
    const { id, concurrencyLimit } = state.queue;
    const count = running.get(id) ?? 0;
    const isAnyDue = state.oldestDueAt !== null;
    const known = { waiting: state.health, isAnyDue, running: count, concurrencyLimit };
    const recentResults = results.get(id) ?? [];
    return { ...state, recentResults, running: count, health: judgeQueue(known) };
  });
}

const EMPTY: Omit<QueueLoad, 'queueId'> = { waiting: 0, nextDueAt: null, failed: 0 };

/**
 * The waiting and failed jobs of each queue, in the order of their names.
 *
 * @param asked `failedSince`: from midnight UTC without it; `queues`: these only, else all
 */
export async function readQueueStates(
  { queues, lists, teamPauses, clock }: Store,
  teamId: string,
  asked: { failedSince?: number; queues?: readonly Queue[] } = {},
): Promise<QueueState[]> {
  const now = clock.now();
  const failedSince = asked.failedSince ?? now - (now % DAY_MS);
  const all = asked.queues ?? (await queues.list(teamId));
  const queueIds = all.map(({ id }) => id);
  const [loads, pause] = await Promise.all([
    lists.readQueueLoads({ teamId, queueIds, failedSince }),
    teamPauses.read(teamId),
  ]);
  return all.map((queue) => {
    const { waiting, nextDueAt, failed } = loads.get(queue.id) ?? EMPTY;
    const oldestDueAt = nextDueAt !== null && nextDueAt <= now ? nextDueAt : null;
    const isPaused = queue.isPaused || pause !== null;
    return {
      queue,
      waiting: bound(waiting),
      oldestDueAt,
      nextDueAt,
      failed: bound(failed),
      failedSince,
      health: judgeWaiting(isPaused, oldestDueAt === null ? null : now - oldestDueAt),
    };
  });
}

function bound(count: number) {
  return { count: Math.min(count, MOST_IN_A_ROW), isMore: count > MOST_IN_A_ROW };
}
