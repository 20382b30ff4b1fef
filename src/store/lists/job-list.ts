import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { earlierFirst, KeyMerge, laterFirst } from './key-merge.ts';
import { findIdsByUrl, findIdsOfJob, pickJobs } from './pick-jobs.ts';
import { rangesOf } from './ranges.ts';
import {
  isEarliestFirst,
  type JobKey,
  type FoundJob,
  type JobSearch,
  needsLookingAt,
} from './search.ts';

/**
 * One page. Pending and Retrying come earliest due first; every other tab latest first (All begins with what
 * is planned, then what was). Cursors are opaque and go into the address as they are.
 */
export interface JobPage {
  jobs: FoundJob[];
  /** Null at either end. A page may be short, or even empty, and still have a next one: see `searchedBackTo`. */
  next: string | null;
  previous: string | null;
  /**
   * Set where the search stopped before the end because it had looked at enough (text, or a filter that
   * few jobs fit): everything up to this time was searched; `next` goes on from there.
   */
  searchedBackTo: number | null;
}

export interface PageOptions {
  cursor?: string | undefined;
  limit: number;
  /** Leaves out ids above this one: what arrived later. */
  upToId?: string | undefined;
  /** Leaves out what paused queues hold: it does not start at its time. */
  isHeldLeftOut?: boolean | undefined;
}

/** Up to so many jobs of a URL are simply all read and sorted. */
const MOST_CANDIDATES = 2_000;
/** Where jobs must be looked at one by one: how many, and for how long, before a page is given as it is. */
const MOST_LOOKED_AT = 20_000;
const MOST_MS = 80;
/** A search by text is worth waiting for a little longer. */
const MOST_MS_FOR_TEXT = 400;
const CHUNK = 500;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LAST_TIME = 8_640_000_000_000_000;

interface Found {
  /** In the order of the walk; one more than the limit where there are more. */
  jobs: FoundJob[];
  /** The last key looked at, where the walk stopped before the end. */
  stoppedAt: JobKey | null;
}

/** Reads a page. Whatever the search, the cost is bounded and does not grow with the number of jobs. */
export async function listJobPage(
  { db, clock }: { db: Database; clock: Clock },
  teamId: string,
  search: JobSearch,
  options: PageOptions,
): Promise<JobPage> {
  const cursor = readCursor(options.cursor);
  const isBack = cursor?.way === 'previous';
  const direction = isEarliestFirst(search) === isBack ? 'down' : 'up';
  const walk: Walk = { search, direction, start: cursor?.key ?? null, ...options };
  const ids = await findCandidates(db, teamId, search);
  const found =
    ids === null
      ? await walkRanges({ db, clock }, teamId, walk)
      : await sortCandidates(db, teamId, ids, walk);
  return pageOf(found, cursor, options.limit);
}

interface Walk extends PageOptions {
  search: JobSearch;
  direction: 'down' | 'up';
  start: JobKey | null;
}

function pageOf({ jobs, stoppedAt }: Found, cursor: Cursor | null, limit: number): JobPage {
  const isBack = cursor?.way === 'previous';
  const shown = jobs.slice(0, limit);
  const end = jobs.length > limit ? shown.at(-1) : stoppedAt;
  const onward = end ? writeCursor({ way: isBack ? 'previous' : 'next', key: end }) : null;
  const back = shown[0] ?? cursor?.key;
  const backward =
    cursor && back ? writeCursor({ way: isBack ? 'next' : 'previous', key: back }) : null;
  return {
    jobs: isBack ? shown.toReversed() : shown,
    next: isBack ? backward : onward,
    previous: isBack ? onward : backward,
    searchedBackTo: jobs.length > limit ? null : (stoppedAt?.at ?? null),
  };
}

/** Ids that hold everything that is searched for, where they are few; else null. */
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

async function sortCandidates(
  db: Database,
  teamId: string,
  ids: readonly string[],
  { search, direction, start, limit, upToId }: Walk,
): Promise<Found> {
  const order = direction === 'down' ? laterFirst : earlierFirst;
  const wanted = ids.filter((id) => upToId === undefined || id <= upToId);
  const jobs = await pickJobs(db, teamId, wanted, search);
  const behind = jobs.filter((job) => start === null || order(job, start) > 0).toSorted(order);
  return { jobs: behind.slice(0, limit + 1), stoppedAt: null };
}

async function walkRanges(
  { db, clock }: { db: Database; clock: Clock },
  teamId: string,
  walk: Walk,
): Promise<Found> {
  const { search, limit, upToId } = walk;
  const isSieved = needsLookingAt(search);
  const chunk = isSieved ? Math.max(CHUNK, limit + 1) : limit + 1;
  const mostMs = hasText(search) ? MOST_MS_FOR_TEXT : MOST_MS;
  const keys = await mergeFor(db, teamId, walk, chunk);
  const startedAt = clock.monotonicMs();
  const jobs: FoundJob[] = [];
  for (let lookedAt = 0; ;) {
    const next = await keys.next(isSieved ? chunk : limit + 1 - jobs.length);
    const last = next.at(-1);
    if (last === undefined) return { jobs, stoppedAt: null };
    const wanted = next.filter(({ id }) => upToId === undefined || id <= upToId);
    jobs.push(...(await pickInOrder(db, teamId, wanted, search)));
    if (jobs.length > limit || keys.isAtEnd) return { jobs, stoppedAt: null };
    lookedAt += next.length;
    const isEnough = lookedAt >= MOST_LOOKED_AT || clock.monotonicMs() - startedAt > mostMs;
    if (isEnough) return { jobs, stoppedAt: last };
  }
}

function hasText({ payloadText, responseText }: JobSearch): boolean {
  return payloadText !== undefined || responseText !== undefined;
}

/** A job that has gone on to another time since its key was read is left out: it stands elsewhere now. */
async function pickInOrder(
  db: Database,
  teamId: string,
  keys: readonly JobKey[],
  search: JobSearch,
): Promise<FoundJob[]> {
  const ids = keys.map(({ id }) => id);
  const jobs = new Map((await pickJobs(db, teamId, ids, search)).map((job) => [job.id, job]));
  return keys.flatMap(({ id, at }) => {
    const job = jobs.get(id);
    return job?.at === at ? [job] : [];
  });
}

async function mergeFor(
  db: Database,
  teamId: string,
  { search, direction, start, isHeldLeftOut = false }: Walk,
  expected: number,
): Promise<KeyMerge> {
  const queueIds = await findQueueIds(db, teamId, search.queueId, isHeldLeftOut);
  const from = search.from ?? 0;
  const to = search.to ?? LAST_TIME;
  const beginning = direction === 'down' ? { at: to, id: FIRST_ID } : { at: from - 1, id: LAST_ID };
  return new KeyMerge(db, rangesOf(search, queueIds), {
    direction,
    start: start ?? beginning,
    until: direction === 'down' ? from : to,
    expected,
  });
}

/** The team's queues, or the one asked for if it is the team's. */
export async function findQueueIds(
  db: Database,
  teamId: string,
  queueId: string | undefined,
  isPausedLeftOut = false,
): Promise<string[]> {
  const rows = await db.read((reader) =>
    reader
      .selectFrom('queues')
      .select('id')
      .where('team_id', '=', teamId)
      .$if(queueId !== undefined, (query) => query.where('id', '=', queueId ?? ''))
      .$if(isPausedLeftOut, (query) => query.where('is_paused', '=', 0))
      .execute(),
  );
  return rows.map(({ id }) => id);
}
