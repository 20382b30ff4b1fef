import type { Database } from '../database/database.ts';
import type { MergedKey } from './key-merge.ts';
import { pickExecutions } from './pick-executions.ts';
import { findIdsByUrl, findIdsOfJob, type JobChoice, pickJobs } from './pick-jobs.ts';
import { historyRanges, isOfCrons, rangesOf, spanOfEnded, withoutEmpty } from './ranges.ts';
import {
  type AnsweredRun,
  type FoundJob,
  isEarliestFirst,
  type JobKey,
  type JobSearch,
  describeFilters,
  type Search,
} from './search.ts';
import { findSourceIds } from './sources.ts';
import { type ListContext, type ListPage, type PageAsked, readPage } from './walk.ts';

interface RunsAsked extends PageAsked {
  /** Open ones too, in the order of creation. The search has no other condition. */
  isHistory?: boolean;
  bodyBytes?: number | undefined;
  /** Leaves out runs with a higher id. */
  upToId?: string | undefined;
  /** Leaves out jobs of paused queues, which don't start at their time. */
  isPausedLeftOut?: boolean;
}

/** Up to so many jobs of a URL are all read and sorted. */
const MOST_CANDIDATES = 2_000;

/** Pending and Retrying: earliest due first. Other tabs: latest first; All begins with planned jobs. */
export async function listJobPage(
  context: ListContext,
  teamId: string,
  search: JobSearch,
  asked: RunsAsked,
): Promise<ListPage<FoundJob>> {
  return (await listRunPage(context, teamId, search, asked)) as ListPage<FoundJob>;
}

/** Ended runs, latest end first; or the history of a cron. */
export async function listRunPage(
  context: ListContext,
  teamId: string,
  search: Search,
  { isHistory = false, bodyBytes, upToId, isPausedLeftOut, ...asked }: RunsAsked,
): Promise<ListPage<AnsweredRun>> {
  const { db } = context;
  const order = { isEarliestFirst: isEarliestFirst(search) };
  const pick = async (jobs: JobChoice, executionIds: readonly string[]) => {
    const ids = jobs.ids.filter((id) => upToId === undefined || id <= upToId);
    const found = await Promise.all([
      pickJobs(db, teamId, { ...jobs, ids }, search),
      pickExecutions(db, teamId, executionIds, search, { isHistory, bodyBytes }),
    ]);
    return found.flat();
  };
  const ids = await findCandidates(db, teamId, search);
  if (ids !== null) {
    const ofCrons = search.tab === undefined && search.id !== undefined ? [search.id] : [];
    const rows = await withTag(db, teamId, await pick({ ids }, ofCrons), search);
    return readPage(context, { ...order, rows }, asked);
  }
  const sources = await findSources(db, teamId, search, isPausedLeftOut);
  const walk = {
    ...order,
    ranges: isHistory
      ? historyRanges(sources.cronIds)
      : await withoutEmpty(db, rangesOf(search, sources)),
    from: search.from,
    to: search.to,
    ...describeFilters(search),
    pick: (keys: readonly MergedKey[]) => {
      const { crons = [], queues = [] } = Object.groupBy(keys, ({ kind }) =>
        isOfCrons(kind) ? 'crons' : 'queues',
      );
      return pick({ ids: idsOf(queues), endedWithin: spanOfEnded(queues) }, idsOf(crons));
    },
  };
  return readPage(context, walk, asked);
}

function idsOf(keys: readonly JobKey[]): string[] {
  return keys.map(({ id }) => id);
}

/** Null: there are too many. */
async function findCandidates(
  db: Database,
  teamId: string,
  { tab, id, urlPrefix = '', target = '' }: Search,
): Promise<string[] | null> {
  if (id !== undefined) return findIdsOfJob(db, teamId, id);
  const prefix = urlPrefix.length > target.length ? urlPrefix : target;
  // Executions have no index by URL.
  if (prefix === '' || tab === undefined) return null;
  return findIdsByUrl(db, teamId, prefix, MOST_CANDIDATES);
}

async function findSources(
  db: Database,
  teamId: string,
  { tab, kind, queueId, cronId, tag }: Search,
  isPausedLeftOut?: boolean,
): Promise<{ queueIds: string[]; cronIds: string[] }> {
  const [queueIds, cronIds] = await Promise.all([
    kind === 'execution' || cronId !== undefined
      ? []
      : findSourceIds(db, teamId, 'queues', { id: queueId, tag, isPausedLeftOut }),
    tab !== undefined || kind === 'job' || queueId !== undefined
      ? []
      : findSourceIds(db, teamId, 'crons', { id: cronId, tag }),
  ]);
  return { queueIds, cronIds };
}

async function withTag(
  db: Database,
  teamId: string,
  runs: AnsweredRun[],
  search: Search,
): Promise<AnsweredRun[]> {
  if (search.tag === undefined) return runs;
  const { queueIds, cronIds } = await findSources(db, teamId, search);
  return runs.filter(({ sourceId }) => queueIds.includes(sourceId) || cronIds.includes(sourceId));
}
