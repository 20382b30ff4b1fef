import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';
import { readCursor } from './cursor.ts';
import { findIdsByUrl, findIdsOfJob, pickJobs } from './pick-jobs.ts';
import { rangesOf } from './ranges.ts';
import {
  isEarliestFirst,
  type JobKey,
  type FoundJob,
  type JobSearch,
  needsLookingAt,
} from './search.ts';
import { type Found, type ListPage, pageOf, sortFound, type Walk, walkRanges } from './walk.ts';

/**
 * One page. Pending and Retrying are in order of due time, earliest first. Other tabs have the latest first; All begins
 * with planned jobs. Cursors are opaque and go into the address unchanged.
 */
export interface JobPage extends Omit<ListPage<FoundJob>, 'rows'> {
  jobs: FoundJob[];
}

export interface PageOptions {
  cursor?: string | undefined;
  limit: number;
  /** Leaves out jobs with a higher id, which arrived later. */
  upToId?: string | undefined;
  /** Leaves out jobs of paused queues, which do not start at their time. */
  isHeldLeftOut?: boolean | undefined;
}

/** Up to this many jobs of a URL are all read and sorted. */
const MOST_CANDIDATES = 2_000;

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
  const way = { direction, start: cursor?.key ?? null, limit: options.limit } as const;
  const ids = await findCandidates(db, teamId, search);
  const found =
    ids === null
      ? await walkJobs({ db, clock }, teamId, search, { ...options, ...way })
      : sortFound(await pickJobs(db, teamId, ids.filter(upTo(options.upToId)), search), way);
  const { rows: jobs, ...page } = pageOf(found, cursor, options.limit);
  return { jobs, ...page };
}

type Way = Pick<Walk<FoundJob>, 'direction' | 'start' | 'limit'>;

async function walkJobs(
  room: { db: Database; clock: Clock },
  teamId: string,
  search: JobSearch,
  { upToId, isHeldLeftOut, ...way }: PageOptions & Way,
): Promise<Found<FoundJob>> {
  const queueIds = await findQueueIds(room.db, teamId, search.queueId, isHeldLeftOut);
  const isWanted = upTo(upToId);
  return walkRanges(room, {
    ...way,
    ranges: rangesOf(search, queueIds),
    from: search.from,
    to: search.to,
    isSieved: needsLookingAt(search),
    hasText: search.payloadText !== undefined || search.responseText !== undefined,
    pick: (keys) => {
      const wanted = keys.filter(({ id }) => isWanted(id));
      return pickInOrder(room.db, teamId, wanted, search);
    },
  });
}

const upTo = (most: string | undefined) => (id: string) => most === undefined || id <= most;

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

/**
 * Reads the jobs of some keys, in order. A job whose time has changed since its key was read is left out: it now has
 * another place in the list.
 */
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

/** The ids of the team's queues, or of the one asked for if it is the team's. */
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
