import { summariseDurations } from '#domain/durations';
import { earliestIdAt, isId } from '#domain/ids';
import type { Cron } from '#store/crons/crons';
import { MOST_COUNTED, MOST_SAMPLED } from '#store/lists/lists';
import type { Store } from '#store/store';
import type {
  CronListRow,
  DeletionScope,
  RunResult,
  SourceHealth,
  SourceSearch,
} from './cron-contract.ts';
import { boundPage } from './job-pages.ts';
import { type JudgedSource, listSources, pageOf, readStreaksOf } from './sources.ts';

const MOST_RESULTS = 50;
/** Before its end, waiting included; older runs aren't searched. */
const LONGEST_RUN_MS = 86_400_000;
const MOST_STEPS = 100;

export function createCronPages(store: Store) {
  const { crons, lists } = store;
  const findCron = async (teamId: string, cronId: string) =>
    isId(cronId) ? crons.find(teamId, cronId) : null;
  return {
    /**
     * Failing, then late, then all others by name.
     * @param page cursor and limit as for `listRuns`
     */
    listCronRows: (teamId: string, page?: SourceSearch & { cursor?: string; limit?: number }) =>
      listCronRows(store, teamId, page),
    readCronRow: async (teamId: string, cronId: string) => {
      if (!isId(cronId)) return null;
      const sources = await listSources(store, teamId, 'cron', { id: cronId });
      return (await rowsOf(store, teamId, sources))[0] ?? null;
    },
    /** In 1 to 100 equal steps. Null: no such cron. */
    readDurations: async (
      teamId: string,
      cronId: string,
      range: { from: number; to: number; steps: number },
    ) => {
      const cron = await findCron(teamId, cronId);
      return cron === null ? null : readDurations(store, teamId, cronId, range);
    },
    describeCronDeletion: async (teamId: string, cronId: string): Promise<DeletionScope | null> => {
      const cron = await findCron(teamId, cronId);
      if (cron === null) return null;
      const counted = await lists.countExecutions(teamId, cronId, MOST_COUNTED + 1);
      return {
        waiting: { count: 0, isMore: false },
        running: counted.unfinished,
        finished: {
          count: Math.min(counted.finished, MOST_COUNTED),
          isMore: counted.finished > MOST_COUNTED,
        },
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

function rowOf(cron: Cron, recentResults: RunResult[], state: SourceHealth): CronListRow {
  const { headers: _headers, payload: _payload, ...shown } = cron;
  const finished = recentResults.filter(({ status }) => status !== 'running');
  const good = finished.filter(({ status }) => status === 'success').length;
  return {
    cron: shown,
    recentResults,
    successRate: finished.length === 0 ? null : good / finished.length,
    lastRun: recentResults.at(-1) ?? null,
    ...state,
  };
}

async function listCronRows(
  store: Store,
  teamId: string,
  { cursor, limit, ...search }: SourceSearch & { cursor?: string; limit?: number } = {},
) {
  const sources = await listSources(store, teamId, 'cron', search);
  const { items, ...others } = pageOf(sources, cursor, boundPage(limit ?? 50));
  return { ...others, rows: await rowsOf(store, teamId, items) };
}

export type Durations = Awaited<ReturnType<typeof readDurations>>;

async function readDurations(
  { lists }: Store,
  teamId: string,
  cronId: string,
  range: { from: number; to: number; steps: number },
) {
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
