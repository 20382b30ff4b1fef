import type { FoundRun } from '#store/lists/run-list';
import type { RunSearch } from '#domain/run-search';
import { writeCursor } from '#store/lists/cursor';
import type { ListPage } from '#store/lists/walk';
import type { Store } from '#store/store';
import { boundPage } from './job-pages.ts';
import { readRunSearch } from './job-search.ts';
import { boundLimit } from './list-limit.ts';

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

export function createRunListWork({ lists }: Store): RunListWork {
  const listRuns: RunListWork['listRuns'] = async (teamId, search, page = {}) => {
    const wanted = readRunSearch(search);
    if (wanted === null) return { rows: [], next: null, previous: null, searchedBackTo: null };
    const { cursor, limit = DEFAULT_LIMIT } = page;
    return lists.listRuns(teamId, wanted, { cursor, limit: boundPage(limit) });
  };
  return {
    listRuns,
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
