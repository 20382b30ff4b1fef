import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';
import type { MergedKey } from './key-merge.ts';
import { type Choice, findIdsByUrl, findIdsOfJob, pickJobs } from './pick-jobs.ts';
import { rangesOf, spanOfEnded, withoutEmpty } from './ranges.ts';
import { isEarliestFirst, type FoundJob, type JobSearch, needsLookingAt } from './search.ts';
import { findSourceIds } from './sources.ts';
import { type ListPage, type PageAsked, readPage } from './walk.ts';

export interface PageOptions extends PageAsked {
  /** Leaves out jobs with a higher id, which arrived later. */
  upToId?: string | undefined;
  /** Leaves out jobs of paused queues, which do not start at their time. */
  isHeldLeftOut?: boolean;
}

/** Up to this many jobs of a URL are all read and sorted. */
const MOST_CANDIDATES = 2_000;

/**
 * Reads a page of jobs. Pending and Retrying are in order of due time, earliest first. Other tabs have the latest
 * first; All begins with planned jobs.
 */
export async function listJobPage(
  room: { db: Database; clock: Clock },
  teamId: string,
  search: JobSearch,
  { upToId, isHeldLeftOut: isPausedLeftOut = false, ...asked }: PageOptions,
): Promise<ListPage<FoundJob>> {
  const { db } = room;
  const order = { isEarliestFirst: isEarliestFirst(search) };
  const pick = ({ ids, ...choice }: Choice) => {
    const wanted = ids.filter((id) => upToId === undefined || id <= upToId);
    return pickJobs(db, teamId, { ids: wanted, ...choice }, search);
  };
  const candidates = await findCandidates(db, teamId, search);
  if (candidates !== null) {
    return readPage(room, { ...order, rows: await pick({ ids: candidates }) }, asked);
  }
  const queues = { id: search.queueId, isPausedLeftOut };
  const list = {
    ...order,
    ranges: await withoutEmpty(
      db,
      rangesOf(search, await findSourceIds(db, teamId, 'queues', queues)),
    ),
    from: search.from,
    to: search.to,
    isSieved: needsLookingAt(search),
    hasText: search.payloadText !== undefined || search.responseText !== undefined,
    pick: (keys: readonly MergedKey[]) =>
      pick({ ids: keys.map(({ id }) => id), endedWithin: spanOfEnded(keys) }),
  };
  return readPage(room, list, asked);
}

/** The ids of all jobs that the search can match, if they are few; else null. */
async function findCandidates(
  db: Database,
  teamId: string,
  { id, urlPrefix, target }: JobSearch,
): Promise<string[] | null> {
  if (id !== undefined) return findIdsOfJob(db, teamId, id);
  const prefix = longer(urlPrefix, target);
  return prefix === '' ? null : findIdsByUrl(db, teamId, prefix, MOST_CANDIDATES);
}

function longer(a = '', b = ''): string {
  return a.length > b.length ? a : b;
}
