import type { FoundRun } from '#store/lists/run-list';
import type { RunSearch } from '#domain/run-search';
import type { ListPage } from '#store/lists/walk';
import type { Store } from '#store/store';
import { boundPage } from './job-pages.ts';
import { readRunSearch } from './job-search.ts';

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
}

const DEFAULT_LIMIT = 50;

export function createRunListWork({ lists }: Store): RunListWork {
  return {
    listRuns: async (teamId, search, { cursor, limit = DEFAULT_LIMIT } = {}) => {
      const wanted = readRunSearch(search);
      if (wanted === null) return { rows: [], next: null, previous: null, searchedBackTo: null };
      return lists.listRuns(teamId, wanted, { cursor, limit: boundPage(limit) });
    },
  };
}
