import { findOverlapping } from '#domain/overlap';
import type { AnsweredRun, FoundRun } from '#store/lists/search';
import type { RunSearch } from '#domain/run-search';
import { writeCursor } from '#store/lists/cursor';
import { type ListPage, NO_PAGE } from '#store/lists/walk';
import type { Store } from '#store/store';
import { boundPage } from './jobs.ts';
import { boundLimit, readSearch } from './job-search.ts';
import { BODY_START, startOf } from './run-detail.ts';

export type { FoundRun, ListPage };

/** A run with the first 2,000 characters of its stored response (§2.5); null without one. */
export interface HistoryRun extends FoundRun {
  bodyStart: string | null;
  hasMore: boolean;
  /** Among those of its page or a few next to it. */
  overlaps: boolean;
}

const DEFAULT_LIMIT = 50;

const MOST_AT_ONCE = 200;
/** Enough bytes for `BODY_START` characters, which take up to four bytes each. */
const BODY_BYTES = 4 * BODY_START;

const NEIGHBOURS = 10;

export function createRunListWork(store: Store) {
  const { lists } = store;
  /**
   * Latest end first. `cursor` is `next` or `previous` of a page of the same search; `limit`
   * is 1 to 200, default 50.
   */
  const listRuns = async (
    teamId: string,
    search: RunSearch | null,
    page: { cursor?: string | undefined; limit?: number } = {},
  ): Promise<ListPage<FoundRun>> => {
    const wanted = search && readSearch(search);
    if (wanted === null) return NO_PAGE;
    const { cursor, limit = DEFAULT_LIMIT } = page;
    return lists.listRuns(teamId, wanted, { cursor, limit: boundPage(limit) });
  };
  return {
    listRuns,
    /**
     * Newest first, waiting and running ones too; with a status by the latest end. An
     * unknown cron gives an empty page.
     */
    listCronHistory: async (
      teamId: string,
      cronId: string,
      {
        status,
        cursor,
        limit = DEFAULT_LIMIT,
      }: { status?: 'success' | 'failed'; cursor?: string | undefined; limit?: number } = {},
    ): Promise<ListPage<HistoryRun>> => {
      const search = readSearch<RunSearch>({ cronId, ...(status && { outcome: status }) });
      if (search === null) return NO_PAGE;
      const isHistory = status === undefined;
      const page = await lists.listRuns(teamId, search, {
        cursor,
        limit: boundPage(limit),
        isHistory,
        bodyBytes: BODY_BYTES,
      });
      const edges = [page.previous, page.next].filter((edge) => edge !== null);
      const neighbours = await Promise.all(
        edges.map((edge) =>
          lists.listRuns(teamId, search, { cursor: edge, limit: NEIGHBOURS, isHistory }),
        ),
      );
      const others = neighbours.flatMap(({ rows }) => rows);
      const overlapping = findOverlapping([...page.rows, ...others]);
      return {
        ...page,
        rows: page.rows.map((row) => showHistoryRun(row, overlapping.has(row.id))),
      };
    },
    /** Up to 10,000 runs, however far back. Null: the team has no run `before`. */
    listRunsBefore: (teamId: string, search: RunSearch, page: Before) =>
      listRunsBefore((given, asked) => listRuns(teamId, given, asked), search, page),
  };
}

function showHistoryRun({ response, ...run }: AnsweredRun, overlaps: boolean): HistoryRun {
  const start = response && startOf(response.bodyStart, response.keptBytes);
  return { ...run, bodyStart: start?.text ?? null, hasMore: start?.hasMore ?? false, overlaps };
}

interface Before {
  before?: string | undefined;
  limit: number;
}

async function listRunsBefore(
  listRuns: (
    search: RunSearch,
    page?: { cursor?: string | undefined; limit: number },
  ) => Promise<ListPage<FoundRun>>,
  search: RunSearch,
  { before, limit }: Before,
): Promise<FoundRun[] | null> {
  const most = boundLimit(limit);
  const runs: FoundRun[] = [];
  const last = before === undefined ? [] : (await listRuns({ id: before })).rows;
  const start = last.find(({ id }) => id === before);
  if (before !== undefined && start === undefined) return null;
  let cursor = start && writeCursor({ way: 'next', key: start });
  for (;;) {
    const left = most - runs.length;
    const page = await listRuns(search, { cursor, limit: Math.min(left, MOST_AT_ONCE) });
    runs.push(...page.rows);
    if (page.next === null || runs.length >= most) return runs;
    cursor = page.next;
  }
}
