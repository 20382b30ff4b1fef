import { isId } from '#domain/ids';
import { judgeQueue, judgeWaiting } from '#domain/queue-health';
import { allowAt, nextStart } from '#domain/rate';
import { MOST_COUNTED, MOST_IN_A_ROW, type QueueLoad } from '#store/lists/lists';
import type { Store } from '#store/store';
import type {
  CronPages,
  QueueHistory,
  QueueListRow,
  QueueSearch,
  QueueState,
} from './cron-contract.ts';
import { countSteps, countTimed, deepestSteps, stepsUntil, timeSteps } from './figures.ts';
import { readOutages } from './outages.ts';

type QueueVerbs = Pick<
  CronPages,
  | 'listQueueRows'
  | 'readQueueRow'
  | 'readRateWait'
  | 'readQueueHistory'
  | 'describeQueueDeletion'
  | 'listOfferedQueues'
>;

/** How many attempts the recent results of a row have. */
const MOST_RESULTS = 50;
const DAY_MS = 86_400_000;
/** Less than this nobody calls waiting. */
const MOMENT_MS = 1_000;

export function createQueuePages(store: Store): QueueVerbs {
  const { queues, lists } = store;
  return {
    listQueueRows: async (teamId, search = {}) => {
      const rows = await listQueueRows(store, teamId);
      return rows.filter((row) => isSought(row, search));
    },
    readQueueRow: async (teamId, queueId) => {
      const rows = isId(queueId) ? await listQueueRows(store, teamId) : [];
      return rows.find(({ queue }) => queue.id === queueId) ?? null;
    },
    readRateWait: async (teamId, { id, rate, isPaused }) => {
      if (rate === null || isPaused) return null;
      const { due, spentUntil } = await lists.readRateLoad(teamId, id);
      const now = store.clock.now();
      const lastAt = nextStart(allowAt(rate, spentUntil, now), due.count - 1);
      return due.count === 0 || lastAt < now + MOMENT_MS ? null : { due, lastAt };
    },
    readQueueHistory: async (teamId, queueId, asked) =>
      isId(queueId) && (await queues.find(teamId, queueId))
        ? readHistory(store, teamId, queueId, asked)
        : null,
    describeQueueDeletion: async (teamId, queueId) => {
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
    listOfferedQueues: async (teamId) => {
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

function isSought(row: QueueListRow, { tag, status }: QueueSearch): boolean {
  if (tag !== undefined && !row.queue.tags.includes(tag)) return false;
  return status === undefined || standingOf(row) === status;
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

/** The rows of all queues in the order of their names. Failures count from midnight UTC. */
async function listQueueRows(store: Store, teamId: string): Promise<QueueListRow[]> {
  const { lists } = store;
  const [states, running] = await Promise.all([
    readQueueStates(store, teamId),
    lists.countRunningJobs(teamId),
  ]);
  const results = await lists.readQueueResults(
    states.map(({ queue }) => queue.id),
    MOST_RESULTS,
  );
  return states.map((state) =>
    rowOf(state, running.get(state.queue.id) ?? 0, results.get(state.queue.id) ?? []),
  );
}

function rowOf(
  state: QueueState,
  running: number,
  recentResults: QueueListRow['recentResults'],
): QueueListRow {
  const { concurrencyLimit } = state.queue;
  const isAnyDue = state.oldestDueAt !== null;
  const health = judgeQueue({ waiting: state.health, isAnyDue, running, concurrencyLimit });
  return { ...state, recentResults, running, health };
}

const EMPTY: Omit<QueueLoad, 'queueId'> = { waiting: 0, nextDueAt: null, failed: 0 };

/** What waits in each queue and what failed of it, in the order of their names. */
export async function readQueueStates(
  { queues, lists, teamPauses, clock }: Store,
  teamId: string,
  failedSince?: number,
): Promise<QueueState[]> {
  const now = clock.now();
  const since = failedSince ?? now - (now % DAY_MS);
  const [all, loads, pause] = await Promise.all([
    queues.list(teamId),
    lists.readQueueLoads(teamId, since),
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
      failedSince: since,
      health: judgeWaiting(isPaused, oldestDueAt === null ? null : now - oldestDueAt),
    };
  });
}

function bound(count: number) {
  return { count: Math.min(count, MOST_IN_A_ROW), isMore: count > MOST_IN_A_ROW };
}
