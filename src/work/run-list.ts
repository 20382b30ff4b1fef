import { findOverlapping } from '#domain/cron/overlap';
import type { AnsweredRun, FoundRun } from '#store/lists/search';
import type { RunSearch } from '#domain/runs/run-search';
import { writeCursor } from '#store/lists/cursor';
import { type ListPage, NO_PAGE } from '#store/lists/walk';
import type { Store } from '#store/store';
import { readSearch } from './search.ts';
import { boundLimit, boundPage } from './list-limit.ts';
import { BODY_START, startOf } from './run-detail.ts';

export type { FoundRun, ListPage };

/** A run with the first 2,000 characters of its stored response (§2.5); null without one. */
export interface HistoryRun extends FoundRun {
  bodyStart: string | null;
  hasMore: boolean;
  /** Among those of its page or a few next to it. */
  overlaps: boolean;
}

const MOST_AT_ONCE = 200;
/** Enough bytes for `BODY_START` characters, which take up to four bytes each. */
const BODY_BYTES = 4 * BODY_START;

const NEIGHBOURS = 10;

/**
 * Latest end first. `cursor` is `next` or `previous` of a page of the same search; `limit`
 * is 1 to 200, default 50.
 */
export async function listRuns(
  { lists }: Store,
  teamId: string,
  search: RunSearch | null,
  { cursor, limit }: { cursor?: string | undefined; limit?: number } = {},
): Promise<ListPage<FoundRun>> {
  const wanted = search && readSearch(search);
  if (wanted === null) return NO_PAGE;
  return lists.listRuns(teamId, wanted, { cursor, limit: boundPage(limit) });
}

/**
 * Newest first, waiting and running ones too; with a status by the latest end. An
 * unknown cron gives an empty page.
 */
export async function listCronHistory(
  { lists }: Store,
  teamId: string,
  cronId: string,
  {
    status,
    cursor,
    limit,
  }: { status?: 'success' | 'failed'; cursor?: string | undefined; limit?: number } = {},
): Promise<ListPage<HistoryRun>> {
  const search = readSearch<RunSearch>({ cronId, ...(status && { outcome: status }) });
  if (search === null) return NO_PAGE;
  const isHistory = status === undefined;
  const how = { isHistory, bodyBytes: BODY_BYTES };
  const page = await lists.listRuns(teamId, search, { cursor, limit: boundPage(limit), ...how });
  const edges = [page.previous, page.next].filter((edge) => edge !== null);
  const neighbours = await Promise.all(
    edges.map((edge) =>
      lists.listRuns(teamId, search, { cursor: edge, limit: NEIGHBOURS, isHistory }),
    ),
  );
  const others = neighbours.flatMap(({ rows }) => rows);
  const overlapping = findOverlapping([...page.rows, ...others]);
  return { ...page, rows: page.rows.map((row) => showHistoryRun(row, overlapping.has(row.id))) };
}

/** Up to 10,000 runs, however far back. Null: the team has no run `before`. */
export async function listRunsBefore(
  store: Store,
  teamId: string,
  search: RunSearch,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<FoundRun[] | null> {
  const most = boundLimit(limit);
  const runs: FoundRun[] = [];
  const last = before === undefined ? [] : (await listRuns(store, teamId, { id: before })).rows;
  const start = last.find(({ id }) => id === before);
  if (before !== undefined && start === undefined) return null;
  let cursor = start && writeCursor({ way: 'next', key: start });
  for (;;) {
    const left = Math.min(most - runs.length, MOST_AT_ONCE);
    const page = await listRuns(store, teamId, search, { cursor, limit: left });
    runs.push(...page.rows);
    if (page.next === null || runs.length >= most) return runs;
    cursor = page.next;
  }
}

function showHistoryRun({ response, ...run }: AnsweredRun, overlaps: boolean): HistoryRun {
  const start = response && startOf(response.bodyStart, response.keptBytes);
  return { ...run, bodyStart: start?.text ?? null, hasMore: start?.hasMore ?? false, overlaps };
}
