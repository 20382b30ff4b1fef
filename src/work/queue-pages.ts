import { DAY_MS } from '#domain/instant';
import { isId } from '#domain/ids';
import { allowAt, nextStart } from '#domain/rate';
import { MOST_COUNTED, MOST_IN_A_ROW, type QueueLoad } from '#store/lists/lists';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { DeletionScope, QueueListRow, SourceSearch } from './cron-contract.ts';
import { countSteps, countTimed, deepestSteps, stepsUntil, timeSteps } from './figures.ts';
import { boundPage } from './job-pages.ts';
import { readOutages } from './outages.ts';
import { type JudgedSource, listSources, pageOf, readStreaksOf } from './sources.ts';

const MOST_RESULTS = 50;
/** Shorter times don't count as waiting. */
const MOMENT_MS = 1_000;

export function createQueuePages(store: Store) {
  const { queues, lists } = store;
  return {
    /**
     * In the order of a page of crons.
     * @param page cursor and limit as for `listRuns`
     */
    listQueueRows: (teamId: string, page?: SourceSearch & { cursor?: string; limit?: number }) =>
      listQueueRows(store, teamId, page),
    readQueueRow: async (teamId: string, queueId: string) => {
      if (!isId(queueId)) return null;
      const sources = await listSources(store, teamId, 'queue', { id: queueId });
      return (await rowsOf(store, teamId, sources))[0] ?? null;
    },
    /** Null: nothing waits for longer than a moment. */
    readRateWait: async (teamId: string, { id, rate, isPaused }: Queue) => {
      if (rate === null || isPaused) return null;
      const { due, spentUntil } = await lists.readRateLoad(teamId, id);
      const now = store.clock.now();
      const lastAt = nextStart(allowAt(rate, spentUntil, now), due.count - 1);
      // If not all were counted, `lastAt` is the start of the last that was.
      return due.count === 0 || lastAt < now + MOMENT_MS ? null : { due, lastAt };
    },
    /** Whole hours until now, eight days back at most. Null: no such queue. */
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
    /** Without paused ones (§2.3), by name. */
    listOfferedQueues: async (teamId: string) => {
      const all = await queues.list(teamId);
      return all.filter(({ isPaused }) => !isPaused).map(({ id, name }) => ({ id, name }));
    },
  };
}

export type QueueHistory = Awaited<ReturnType<typeof readHistory>>;
export type RateWait = NonNullable<
  Awaited<ReturnType<ReturnType<typeof createQueuePages>['readRateWait']>>
>;

async function readHistory(
  store: Store,
  teamId: string,
  queueId: string,
  asked: { stepMs: number; count: number },
) {
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

/** Jobs are counted for the queues of the page only. */
async function listQueueRows(
  store: Store,
  teamId: string,
  { cursor, limit, ...search }: SourceSearch & { cursor?: string; limit?: number } = {},
) {
  const sources = await listSources(store, teamId, 'queue', search);
  const { items, ...others } = pageOf(sources, cursor, boundPage(limit ?? 50));
  return { ...others, rows: await rowsOf(store, teamId, items) };
}

const EMPTY: Omit<QueueLoad, 'queueId'> = { waiting: 0, nextDueAt: null, failed: 0 };

async function rowsOf(
  store: Store,
  teamId: string,
  sources: readonly JudgedSource[],
): Promise<QueueListRow[]> {
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
      waiting: bound(waiting),
      running: running.get(id) ?? 0,
      oldestDueAt: nextDueAt !== null && nextDueAt <= now ? nextDueAt : null,
      nextDueAt,
      failed: bound(failed),
      failedSince,
      recentResults: results.get(id) ?? [],
      health,
      isMuted,
      streak: streaks.get(id) ?? null,
    };
  });
}

function bound(count: number) {
  return { count: Math.min(count, MOST_IN_A_ROW), isMore: count > MOST_IN_A_ROW };
}
