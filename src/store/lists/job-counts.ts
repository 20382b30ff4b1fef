import type { Database } from '../database/database.ts';
import { addBounded, bound, type BoundedCount, MOST_COUNTED } from '../database/bounded-count.ts';
import { packRows } from '../database/dialect.ts';
import { listJobPage } from './run-list.ts';
import { COUNT_KEYS, type Range, RANGE, rangesOf, rowOfRange, withoutEmpty } from './ranges.ts';
import { describeFilters, isGiven, type JobSearch } from './search.ts';
import { findSourceIds } from './sources.ts';
import type { ListContext } from './walk.ts';
import { LAST_TIME } from '#domain/base/instant';

/** `failed`: not resent (§3.3). No tab shows `resent` failed jobs or `retried` attempts alone. */
export type TabCounts = Record<JobSearch['tab'] | 'resent' | 'retried', BoundedCount>;

/** Up to `most` plus one. */
async function countRanges(
  db: Database,
  ranges: readonly Range[],
  { from = 0, to = LAST_TIME }: { from?: number | undefined; to?: number | undefined },
  most: number,
): Promise<number> {
  let total = 0;
  const wanted = await withoutEmpty(db, ranges);
  for (const [kind, each] of Map.groupBy(wanted, (range) => range.kind)) {
    const rows = each.map((range, n) => rowOfRange(range, n));
    const parameters = [packRows(RANGE, rows), from, to, most + 1 - total];
    const [row] = await db.read(COUNT_KEYS[kind], parameters);
    total += row?.count ?? 0;
    if (total > most) return total;
  }
  return total;
}

export async function countTabs(
  db: Database,
  teamId: string,
  queueId: string | undefined,
): Promise<TabCounts> {
  const queueIds = await findSourceIds(db, teamId, 'queues', { id: queueId });
  const of = (tab: JobSearch['tab'], most = MOST_COUNTED) =>
    countRanges(db, rangesOf({ tab }, { queueIds }), {}, most);
  const ofResent = rangesOf({ tab: 'failed', resent: 'only' }, { queueIds });
  const ofRetried = queueIds.map((sourceId): Range => {
    return { kind: 'finished', sourceId, status: 'retried', isRetried: 0, reason: '' };
  });
  // So subtracting the retries leaves an exact number.
  const retrying = await of('retrying');
  const most = MOST_COUNTED + retrying;
  const waiting = await of('pending', most);
  const first = bound(Math.max(0, waiting - retrying));
  const pending = { ...first, isMore: first.isMore || waiting > most || retrying > MOST_COUNTED };
  const counts = {
    pending,
    retrying: bound(retrying),
    processing: bound(await of('processing')),
    completed: bound(await of('completed')),
    failed: bound(await of('failed')),
    resent: bound(await countRanges(db, ofResent, {}, MOST_COUNTED)),
    retried: bound(await countRanges(db, ofRetried, {}, MOST_COUNTED)),
  };
  return { ...counts, all: addBounded(...Object.values(counts)) };
}

/** `isMore` also if it stopped before it had examined all of them. */
export async function countJobs(
  context: ListContext,
  teamId: string,
  search: JobSearch,
  most = MOST_COUNTED,
): Promise<BoundedCount> {
  const isExact = !describeFilters(search).isFiltered && search.id === undefined;
  if (isExact) {
    const queueIds = await findSourceIds(context.db, teamId, 'queues', { id: search.queueId });
    const ranges = rangesOf(search, { queueIds });
    return bound(await countRanges(context.db, ranges, search, most), most);
  }
  if (isWholePendingTab(search)) {
    return (await countTabs(context.db, teamId, search.queueId)).pending;
  }
  const page = await listJobPage(context, teamId, search, { limit: most });
  return { count: page.rows.length, isMore: page.next !== null };
}

function isWholePendingTab({ tab, ...rest }: JobSearch): boolean {
  return tab === 'pending' && !Object.values({ ...rest, queueId: undefined }).some(isGiven);
}
