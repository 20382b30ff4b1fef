import type { RunSearch } from '#domain/run-search';
import type { Clock } from '#domain/clock';
import { type FaultCode, faultOfMessage } from '#domain/connection-faults';
import type { HttpMethod } from '#domain/exchange';
import type { FailureReason } from '#domain/failure';
import type { EndedJobStatus } from '#domain/run-status';
import type { Database } from '../database/database.ts';
import { hasTag } from './cron-lists.ts';
import { readCursor } from './cursor.ts';
import type { MergedKey } from './key-merge.ts';
import { pickExecutions } from './pick-executions.ts';
import { findIdsOfJob, pickJobs } from './pick-jobs.ts';
import { endedRanges } from './ranges.ts';
import { type FoundJob, type JobKey, needsSieve } from './search.ts';
import { type ListPage, pageOf, sortFound, walkRanges } from './walk.ts';

/** An ended run, sent or not: an attempt of a job or an execution of a cron. */
export interface FoundRun {
  kind: 'job' | 'execution';
  id: string;
  /** The time of the end; lists have the latest first. */
  at: number;
  /** The id of the queue or cron. */
  sourceId: string;
  sourceName: string;
  /** As it was sent; for executions of older versions, the cron's present one. */
  method: HttpMethod;
  url: string;
  status: EndedJobStatus;
  /** Null for an execution: crons never retry. */
  attemptNumber: number | null;
  /** The scheduled time; null for Run now. */
  scheduledAt: number | null;
  startedAt: number | null;
  durationMs: number | null;
  responseStatus: number | null;
  reason: FailureReason | null;
  /** Why the connection failed; null where it did not. */
  fault: FaultCode | null;
  errorMessage: string | null;
  /** The id of the job that a person's Retry made of this failed one. */
  retriedAs: string | null;
}

/**
 * Reads a page of ended runs of jobs and crons. Whatever the search, the cost is bounded and does not grow with the
 * history: one index step per queue, cron and status, and the rows of the page.
 */
export async function listRunPage(
  { db, clock }: { db: Database; clock: Clock },
  teamId: string,
  search: RunSearch,
  options: { cursor?: string | undefined; limit: number },
): Promise<ListPage<FoundRun>> {
  const cursor = readCursor(options.cursor);
  const way = {
    direction: cursor?.way === 'previous' ? 'up' : 'down',
    start: cursor?.key ?? null,
    limit: options.limit,
  } as const;
  const found =
    search.id === undefined
      ? await walkRanges(
          { db, clock },
          {
            ...way,
            ranges: endedRanges(search, await findSources(db, teamId, search)),
            from: search.from,
            to: search.to,
            ...needsSieve(search),
            pick: (keys) => pickRuns(db, teamId, keys, search),
          },
        )
      : sortFound(await findById(db, teamId, search.id, search), way);
  return pageOf(found, cursor, options.limit);
}

async function findSources(
  db: Database,
  teamId: string,
  { kind, queueId, cronId, tag }: RunSearch,
): Promise<{ queueIds: string[]; cronIds: string[] }> {
  const [queueIds, cronIds] = await Promise.all([
    kind === 'execution' || cronId !== undefined
      ? []
      : findIds(db, teamId, 'queues', { id: queueId, tag }),
    kind === 'job' || queueId !== undefined
      ? []
      : findIds(db, teamId, 'crons', { id: cronId, tag }),
  ]);
  return { queueIds, cronIds };
}

/** The ids of the team's queues or crons, of those with a tag, or of the one asked for if it is the team's. */
async function findIds(
  db: Database,
  teamId: string,
  table: 'queues' | 'crons',
  { id, tag }: { id: string | undefined; tag: string | undefined },
): Promise<string[]> {
  const rows = await db.read((reader) =>
    reader
      .selectFrom(table)
      .select('id')
      .where('team_id', '=', teamId)
      .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
      .$if(tag !== undefined, (query) => query.where(hasTag(db, tag ?? '')))
      .execute(),
  );
  return rows.map((row) => row.id);
}

async function pickRuns(
  db: Database,
  teamId: string,
  keys: readonly MergedKey[],
  search: RunSearch,
): Promise<FoundRun[]> {
  const { executed = [], of = [] } = Object.groupBy(keys, ({ kind }) =>
    kind === 'executed' ? 'executed' : 'of',
  );
  const idsOf = (some: readonly JobKey[]) => some.map(({ id }) => id);
  const [jobs, executions] = await Promise.all([
    pickJobs(db, teamId, idsOf(of), { tab: 'all', ...search }, true),
    pickExecutions(db, teamId, idsOf(executed), search),
  ]);
  const runs = new Map([...jobs.map(runOfJob), ...executions].map((run) => [run.id, run]));
  return keys.flatMap(({ id }) => runs.get(id) ?? []);
}

/** Finds all attempts of the job that an attempt belongs to, or one execution. */
async function findById(
  db: Database,
  teamId: string,
  id: string,
  search: RunSearch,
): Promise<FoundRun[]> {
  const [jobs, executions] = await Promise.all([
    pickJobs(db, teamId, await findIdsOfJob(db, teamId, id), { tab: 'all', ...search }, true),
    pickExecutions(db, teamId, [id], search),
  ]);
  const runs = [...jobs.map(runOfJob), ...executions].filter((run) => isWithin(run, search));
  if (search.tag === undefined) return runs;
  const { queueIds, cronIds } = await findSources(db, teamId, search);
  return runs.filter(({ sourceId }) => queueIds.includes(sourceId) || cronIds.includes(sourceId));
}

/** The conditions that ranges fulfil by themselves in a walk. */
function isWithin(run: FoundRun, search: RunSearch): boolean {
  const { kind = run.kind, queueId, cronId, outcome, from = 0, to = Infinity } = search;
  const sourceId = queueId ?? cronId ?? run.sourceId;
  const isOfKind = run.kind === kind && (cronId === undefined || run.kind === 'execution');
  const ended = run.status === 'dead_lettered' ? 'failed' : run.status;
  const isOfOutcome =
    outcome === undefined || outcome === ended || (outcome === 'failure' && ended !== 'success');
  return isOfKind && isOfOutcome && run.sourceId === sourceId && run.at >= from && run.at < to;
}

function runOfJob(job: FoundJob): FoundRun {
  const { id, at, queueId, queue, method, url, status, attemptNumber, scheduledAt } = job;
  const { startedAt, durationMs, responseStatus, reason, errorMessage, retriedAs } = job;
  return {
    kind: 'job',
    id,
    at,
    sourceId: queueId,
    sourceName: queue,
    method,
    url,
    // Only ended jobs were searched.
    status: status as EndedJobStatus,
    attemptNumber,
    scheduledAt,
    startedAt,
    durationMs,
    responseStatus,
    reason,
    fault: faultOfMessage(errorMessage),
    errorMessage,
    retriedAs,
  };
}
