import { summariseDurations } from '#domain/durations';
import { earliestIdAt, isId } from '#domain/ids';
import type { Cron } from '#store/crons/crons';
import { MOST_COUNTED, MOST_SAMPLED } from '#store/lists/lists';
import type { Store } from '#store/store';
import type { CronListRow, CronSearch, DeletionScope, RunResult } from './cron-contract.ts';
import { boundPage } from './job-pages.ts';

const MOST_RESULTS = 50;
/** How long before its end a run can have been made, waiting included; older runs are not searched. */
const LONGEST_RUN_MS = 86_400_000;
const MOST_STEPS = 100;

export function createCronPages(store: Store) {
  const { crons, lists } = store;
  const findCron = async (teamId: string, cronId: string) =>
    isId(cronId) ? crons.find(teamId, cronId) : null;
  return {
    /**
     * A page of crons in the order of their names.
     *
     * @param page  `cursor`: `next` or `previous` of a page of the same search; `limit`: 1 to 200, default 50
     */
    listCronRows: (teamId: string, page?: CronSearch & { cursor?: string; limit?: number }) =>
      listCronRows(store, teamId, page),
    readCronRow: async (teamId: string, cronId: string) => {
      const cron = await findCron(teamId, cronId);
      if (cron === null) return null;
      const results = await lists.readCronResults(teamId, [cronId], MOST_RESULTS);
      return rowOf(cron, results.get(cronId) ?? []);
    },
    /**
     * Durations of a cron's runs. Null: no such cron.
     *
     * @param range  `steps`: how many equal steps between from and to (1 to 100)
     */
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

function rowOf(cron: Cron, recentResults: RunResult[]): CronListRow {
  const { headers: _headers, payload: _payload, ...shown } = cron;
  const finished = recentResults.filter(({ status }) => status !== 'running');
  const good = finished.filter(({ status }) => status === 'success').length;
  return {
    cron: shown,
    recentResults,
    successRate: finished.length === 0 ? null : good / finished.length,
    lastRun: recentResults.at(-1) ?? null,
  };
}

async function listCronRows(
  { crons, lists }: Store,
  teamId: string,
  { cursor, limit, ...search }: CronSearch & { cursor?: string; limit?: number } = {},
) {
  const most = boundPage(limit ?? 50);
  const place = readPlace(cursor);
  const isBack = place?.way === 'previous';
  const key = place && (await crons.find(teamId, place.id));
  const beyond = key ? (isBack ? { before: key } : { after: key }) : {};
  const found = await lists.listCronIds(teamId, { ...search, ...beyond, limit: most });
  const shown = found.slice(0, most);
  const ids = isBack && key ? shown.toReversed() : shown;
  const [rows, results] = await Promise.all([
    crons.findAll(teamId, ids),
    lists.readCronResults(teamId, ids, MOST_RESULTS),
  ]);
  const hasMore = found.length > most;
  const [first, last] = [ids[0], ids.at(-1)];
  const hasBefore = key ? (isBack ? hasMore : true) : false;
  const hasAfter = key && isBack ? true : hasMore;
  return {
    crons: ids.flatMap((id) => {
      const cron = rows.get(id);
      return cron ? [rowOf(cron, results.get(id) ?? [])] : [];
    }),
    next: hasAfter && last ? `n${last}` : null,
    previous: hasBefore && first ? `p${first}` : null,
  };
}

/** Reads a cursor: `n` or `p` and the id after or before which a page begins. */
function readPlace(cursor: string | undefined): { way: 'next' | 'previous'; id: string } | null {
  const [way, id] = [cursor?.charAt(0), cursor?.slice(1) ?? ''];
  if ((way !== 'n' && way !== 'p') || !isId(id)) return null;
  return { way: way === 'n' ? 'next' : 'previous', id };
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
    /** Set if only the newest runs were examined: the time of the oldest of them. */
    sampledBackTo: runs.length === MOST_SAMPLED ? oldest : null,
  };
}
