import { isId } from '#domain/base/ids';
import { DAY_MS } from '#domain/base/instant';
import { allowAt, nextStart } from '#domain/team/rate';
import { addBounded, bound } from '#store/database/bounded-count';
import { bind } from '#store/database/context';
import { MOST_IN_A_ROW, type QueueLoad } from '#store/lists/lists';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import { countSteps, countTimed, deepestSteps, stepsUntil, timeSteps } from './figures.ts';
import { readOutages } from './outages.ts';
import {
  createSourcePages,
  type DeletionScope,
  type JudgedSource,
  readStreaksOf,
} from './sources.ts';

const MOST_RESULTS = 50;
/** Shorter times don't count as waiting. */
const MOMENT_MS = 1_000;

export function createQueuePages(store: Store) {
  const { queues, lists } = store;
  const pages = createSourcePages(store, 'queue', rowsOf);
  return {
    ...bind(store, { readQueueHistory }),
    listQueueRows: pages.list,
    readQueueRow: pages.read,
    /** Null: nothing waits for longer than a moment. */
    readRateWait: async (teamId: string, { id, rate, isPaused }: Queue) => {
      if (rate === null || isPaused) return null;
      const { due, spentUntil } = await lists.readRateLoad(teamId, id);
      const now = store.clock.now();
      const lastAt = nextStart(allowAt(rate, spentUntil, now), due.count - 1);
      // If not all were counted, `lastAt` is the start of the last that was.
      return due.count === 0 || lastAt < now + MOMENT_MS ? null : { due, lastAt };
    },
    describeQueueDeletion: async (
      teamId: string,
      queueId: string,
    ): Promise<DeletionScope | null> => {
      if (!isId(queueId) || (await queues.find(teamId, queueId)) === null) return null;
      const { pending, retrying, processing, ...ended } = await lists.countTabs(teamId, queueId);
      const { completed, failed, all } = ended;
      const unfinished = pending.count + retrying.count + processing.count;
      return {
        waiting: addBounded(pending, retrying),
        running: processing.count,
        finished: {
          count: Math.max(completed.count, failed.count, all.count - unfinished),
          isMore: all.isMore,
        },
      };
    },
    /** Without paused ones (§2.3), by name. */
    listOfferedQueues: async (teamId: string) => {
      const all = await queues.list(teamId);
      return all.filter(({ isPaused }) => !isPaused).map(({ id, name }) => ({ id, name }));
    },
  };
}

export type QueueHistory = NonNullable<Awaited<ReturnType<typeof readQueueHistory>>>;
export type RateWait = NonNullable<
  Awaited<ReturnType<ReturnType<typeof createQueuePages>['readRateWait']>>
>;

/** Whole hours until now, eight days back at most. Null: no such queue. */
async function readQueueHistory(
  store: Store,
  teamId: string,
  queueId: string,
  asked: { stepMs: number; count: number },
) {
  const { queues, durations, depths, clock } = store;
  if (!isId(queueId) || (await queues.find(teamId, queueId)) === null) return null;
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

const EMPTY: Omit<QueueLoad, 'queueId'> = { waiting: 0, nextDueAt: null, failed: 0 };

export type QueueListRow = Awaited<ReturnType<typeof rowsOf>>[number];

async function rowsOf(store: Store, teamId: string, sources: readonly JudgedSource[]) {
  const { lists, queues, clock } = store;
  const now = clock.now();
  const failedSince = now - (now % DAY_MS);
  const queueIds = sources.map(({ id }) => id);
  const [found, loads, running, results, streaks] = await Promise.all([
    Promise.all(queueIds.map((id) => queues.find(teamId, id))),
    lists.readQueueLoads({ teamId, queueIds, failedSince }),
    lists.countRunningJobs({ teamId, queueIds }),
    lists.readQueueResults(queueIds, MOST_RESULTS),
    readStreaksOf(store, 'queue', sources),
  ]);
  return sources.flatMap(({ id, health, isMuted }, n) => {
    const queue = found[n];
    if (!queue) return [];
    const { waiting, nextDueAt, failed } = loads.get(id) ?? EMPTY;
    return {
      queue,
      waiting: bound(waiting, MOST_IN_A_ROW),
      running: running.get(id) ?? 0,
      /** Null if it is not due yet. */
      oldestDueAt: nextDueAt !== null && nextDueAt <= now ? nextDueAt : null,
      /** Can be in the past. */
      nextDueAt,
      /** Jobs that failed since `failedSince`, midnight UTC, and were not resent. */
      failed: bound(failed, MOST_IN_A_ROW),
      failedSince,
      recentResults: results.get(id) ?? [],
      health,
      isMuted,
      streak: streaks.get(id) ?? null,
    };
  });
}
