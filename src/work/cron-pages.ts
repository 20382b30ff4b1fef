import { summariseDurations } from '#domain/base/durations';
import { earliestIdAt, isId } from '#domain/base/ids';
import type { Cron } from '#store/crons/crons';
import { bound, COUNT_LIMIT } from '#store/database/bounded-count';
import { bind } from '#store/database/context';
import { MOST_SAMPLED } from '#store/lists/lists';
import type { Store } from '#store/store';
import {
  createSourcePages,
  type DeletionScope,
  type JudgedSource,
  readStreaksOf,
  type RunResult,
  type SourceHealth,
} from './sources.ts';

const MOST_RESULTS = 50;
/** Before its end, waiting included; older runs aren't searched. */
const LONGEST_RUN_MS = 86_400_000;
const MOST_STEPS = 100;

export function createCronPages(store: Store) {
  const { crons, lists } = store;
  const pages = createSourcePages(store, 'cron', rowsOf);
  return {
    ...bind(store, { readDurations }),
    listCronRows: pages.list,
    readCronRow: pages.read,
    describeCronDeletion: async (teamId: string, cronId: string): Promise<DeletionScope | null> => {
      if (!isId(cronId) || (await crons.find(teamId, cronId)) === null) return null;
      const counted = await lists.countExecutions(teamId, cronId, COUNT_LIMIT);
      return {
        waiting: bound(0),
        running: counted.unfinished,
        finished: bound(counted.finished),
      };
    },
  };
}

async function rowsOf(
  store: Store,
  teamId: string,
  sources: readonly JudgedSource[],
): Promise<CronListRow[]> {
  const ids = sources.map(({ id }) => id);
  const [crons, results, streaks] = await Promise.all([
    store.crons.findAll(teamId, ids),
    store.lists.readCronResults(teamId, ids, MOST_RESULTS),
    readStreaksOf(store, 'cron', sources),
  ]);
  return sources.flatMap(({ id, health, isMuted }) => {
    const cron = crons.get(id);
    const state = { health, isMuted, streak: streaks.get(id) ?? null };
    return cron ? [rowOf(cron, results.get(id) ?? [], state)] : [];
  });
}

export type CronListRow = ReturnType<typeof rowOf>;

function rowOf(cron: Cron, recentResults: RunResult[], state: SourceHealth) {
  const { headers: _headers, payload: _payload, ...shown } = cron;
  const finished = recentResults.filter(({ status }) => status !== 'running');
  const good = finished.filter(({ status }) => status === 'success').length;
  return {
    ...state,
    cron: shown,
    /** Oldest first. */
    recentResults,
    /** 0 to 1, among the finished ones; null before the first. */
    successRate: finished.length === 0 ? null : good / finished.length,
    lastRun: recentResults.at(-1) ?? null,
  };
}

export type Durations = NonNullable<Awaited<ReturnType<typeof readDurations>>>;

/** In 1 to 100 equal steps. Null: no such cron. */
async function readDurations(
  { crons, lists }: Store,
  teamId: string,
  cronId: string,
  range: { from: number; to: number; steps: number },
) {
  if (!isId(cronId) || (await crons.find(teamId, cronId)) === null) return null;
  const from = Math.trunc(range.from);
  const to = Math.max(from + 1, Math.trunc(range.to));
  const steps = Math.max(1, Math.min(Math.trunc(range.steps), MOST_STEPS));
  const firstId = earliestIdAt(from - LONGEST_RUN_MS);
  const runs = await lists.sampleRuns(teamId, cronId, { firstId, from, to });
  const oldest = runs.at(-1)?.completedAt ?? null;
  return {
    steps: summariseDurations(runs, { from, to, steps }),
    /** The oldest examined run, if not all were. */
    sampledBackTo: runs.length === MOST_SAMPLED ? oldest : null,
  };
}
