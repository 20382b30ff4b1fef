import type { RunSearch } from '#domain/run-search';
import type { Clock } from '#domain/clock';
import { type FaultCode, faultOfMessage } from '#domain/connection-faults';
import type { HttpMethod } from '#domain/exchange';
import type { Database } from '../database/database.ts';
import type { RunRecord } from '../runs/run-records.ts';
import type { MergedKey } from './key-merge.ts';
import { pickExecutions, type Picking } from './pick-executions.ts';
import { findIdsOfJob, pickJobs } from './pick-jobs.ts';
import { endedRanges, historyRanges, isOfCrons, spanOfEnded } from './ranges.ts';
import { type FoundJob, type JobKey, needsSieve } from './search.ts';
import { findSourceIds } from './sources.ts';
import { type ListPage, type PageAsked, readPage } from './walk.ts';

/** A run, sent or not: an attempt of a job or an execution of a cron. Only a cron's history has some that have not ended. */
export interface FoundRun extends Omit<RunRecord, 'teamId'> {
  kind: 'job' | 'execution';
  /** The time of the end, or in a cron's history of the creation; lists have the latest first. */
  at: number;
  /** The id of the queue or cron. */
  sourceId: string;
  sourceName: string;
  /** As it was sent; for executions of older versions, the cron's present one. */
  method: HttpMethod;
  url: string;
  /** Null for an execution: crons never retry. */
  attemptNumber: number | null;
  /** The scheduled time; null for Run now. */
  scheduledAt: number | null;
  /** Why the connection failed; null where it did not. */
  fault: FaultCode | null;
  /** The id of the job that a person's Retry made of this failed one. */
  retriedAs: string | null;
}

/** With the beginning of its response, if that was asked for and there is one. */
export interface AnsweredRun extends FoundRun {
  response?: { bodyStart: Uint8Array; keptBytes: number };
}

export interface RunsAsked extends PageAsked, Picking {
  /**
   * True: all executions of the crons, waiting and running ones too, in the order in which they were made. The search
   * has no other condition then.
   */
  isHistory?: boolean;
}

/** Reads a page of ended runs of jobs and crons, or of the history of crons. */
export async function listRunPage(
  room: { db: Database; clock: Clock },
  teamId: string,
  search: RunSearch,
  { isHistory = false, bodyBytes, ...asked }: RunsAsked,
): Promise<ListPage<AnsweredRun>> {
  const { db } = room;
  const picking = { isHistory, bodyBytes };
  if (search.id !== undefined) {
    return readPage(room, { rows: await findById(db, teamId, search.id, search) }, asked);
  }
  const sources = await findSources(db, teamId, search);
  const list = {
    ranges: isHistory ? historyRanges(sources.cronIds) : endedRanges(search, sources),
    from: search.from,
    to: search.to,
    ...needsSieve(search),
    pick: (keys: readonly MergedKey[]) => pickRuns(db, teamId, keys, search, picking),
  };
  return readPage(room, list, asked);
}

async function findSources(
  db: Database,
  teamId: string,
  { kind, queueId, cronId, tag }: RunSearch,
): Promise<{ queueIds: string[]; cronIds: string[] }> {
  const [queueIds, cronIds] = await Promise.all([
    kind === 'execution' || cronId !== undefined
      ? []
      : findSourceIds(db, teamId, 'queues', { id: queueId, tag }),
    kind === 'job' || queueId !== undefined
      ? []
      : findSourceIds(db, teamId, 'crons', { id: cronId, tag }),
  ]);
  return { queueIds, cronIds };
}

async function pickRuns(
  db: Database,
  teamId: string,
  keys: readonly MergedKey[],
  search: RunSearch,
  picking: Picking,
): Promise<AnsweredRun[]> {
  const { crons = [], queues = [] } = Object.groupBy(keys, ({ kind }) =>
    isOfCrons(kind) ? 'crons' : 'queues',
  );
  const idsOf = (some: readonly JobKey[]) => some.map(({ id }) => id);
  const ofQueues = { ids: idsOf(queues), endedWithin: spanOfEnded(queues) };
  const [jobs, executions] = await Promise.all([
    pickJobs(db, teamId, ofQueues, { tab: 'all', ...search }, true),
    pickExecutions(db, teamId, idsOf(crons), search, picking),
  ]);
  return [...jobs.map(runOfJob), ...executions];
}

/** Finds all attempts of the job that an attempt belongs to, or one execution. */
async function findById(
  db: Database,
  teamId: string,
  id: string,
  search: RunSearch,
): Promise<FoundRun[]> {
  const [jobs, executions] = await Promise.all([
    pickJobs(
      db,
      teamId,
      { ids: await findIdsOfJob(db, teamId, id) },
      { tab: 'all', ...search },
      true,
    ),
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

function runOfJob({ queueId, queue, ...job }: FoundJob): FoundRun {
  const { teamId: _, originalId: _of, callbackUrl: _to, ...run } = job;
  const fault = faultOfMessage(job.errorMessage);
  return { kind: 'job', sourceId: queueId, sourceName: queue, ...run, fault };
}
