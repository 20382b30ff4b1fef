import type { FoundRun } from '#store/lists/run-list';
import type { RunSearch } from '#domain/run-search';
import { readCursor, writeCursor } from '#store/lists/cursor';
import type { ListPage } from '#store/lists/walk';
import type { Store } from '#store/store';
import { boundPage } from './job-pages.ts';
import { readRunSearch } from './job-search.ts';
import { boundLimit } from './list-limit.ts';
import { placeOutages, type PlacedOutage, readOutages } from './outages.ts';

export type { FoundRun };
export type RunsPage = ListPage<FoundRun>;

/** The list of all ended runs: attempts of jobs and executions of crons. */
export interface RunListWork {
  /**
   * The latest end first. A search that can match nothing gives an empty page.
   *
   * @param page  `cursor`: `next` or `previous` of another page of the same search; `limit`: 1 to 200, default 50
   */
  listRuns(
    teamId: string,
    search: RunSearch,
    page?: { cursor?: string | undefined; limit?: number },
  ): Promise<RunsPage>;
  /**
   * The times between the runs of a page in which no engine ran; for an empty page none. What lies between two pages
   * belongs to the one that was turned to.
   *
   * @param cursor  with which the page was read
   */
  listOutagesOfPage(
    page: RunsPage,
    asked: { search: RunSearch; cursor: string | undefined },
  ): Promise<PlacedOutage[]>;
  /**
   * As many as are asked for (1 to 10,000), however far back they are: for who can wait.
   *
   * @param page  `before`: only what ended before this run; null where the team has none of that id
   */
  listRunsBefore(
    teamId: string,
    search: RunSearch,
    page: { before?: string | undefined; limit: number },
  ): Promise<FoundRun[] | null>;
}

const DEFAULT_LIMIT = 50;

const MOST_AT_ONCE = 200;

export function createRunListWork(store: Store): RunListWork {
  const { lists } = store;
  const listRuns: RunListWork['listRuns'] = async (teamId, search, page = {}) => {
    const wanted = readRunSearch(search);
    if (wanted === null) return { rows: [], next: null, previous: null, searchedBackTo: null };
    const { cursor, limit = DEFAULT_LIMIT } = page;
    return lists.listRuns(teamId, wanted, { cursor, limit: boundPage(limit) });
  };
  return {
    listRuns,
    listOutagesOfPage: (page, asked) => readPlacedOutages(store, page, asked),
    listRunsBefore: async (teamId, search, { before, limit }) => {
      const most = boundLimit(limit);
      const runs: FoundRun[] = [];
      const last = before === undefined ? [] : (await listRuns(teamId, { id: before })).rows;
      const start = last.find(({ id }) => id === before);
      if (before !== undefined && start === undefined) return null;
      let cursor = start && writeCursor({ way: 'next', key: start });
      for (;;) {
        const left = most - runs.length;
        const page = await listRuns(teamId, search, {
          cursor,
          limit: Math.min(left, MOST_AT_ONCE),
        });
        runs.push(...page.rows);
        if (page.next === null || runs.length >= most) return runs;
        cursor = page.next;
      }
    },
  };
}

async function readPlacedOutages(
  store: Store,
  { rows, previous }: RunsPage,
  { search, cursor }: Parameters<RunListWork['listOutagesOfPage']>[1],
): Promise<PlacedOutage[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const start = readCursor(cursor);
  const [newer, older] =
    start?.way === 'next' ? [start.key.at, null] : [null, start?.key.at ?? null];
  const outages = await readOutages(store, { from: older ?? last.at });
  const newerAt = newer ?? (previous === null ? (search.to ?? null) : first.at);
  return placeOutages(outages, rows, { newerAt, olderAt: older });
}
