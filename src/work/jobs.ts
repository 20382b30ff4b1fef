import { resolveRedirect } from '#domain/explain-failure';
import { earliestIdAt, isId } from '#domain/ids';
import { startAt } from '#domain/rate';
import type { JobStatus } from '#domain/run-status';
import { readTrace } from '#domain/run-trace';
import { bind } from '#store/database/context';
import type { AcceptedJob } from '#store/jobs/accept-jobs';
import type { BulkTask } from '#store/jobs/bulk-tasks';
import type { JobDetail, JobFilter, JobRecord } from '#store/jobs/job-records';
import type { ResentCount } from '#store/jobs/resent';
import { type ListPage, NO_PAGE } from '#store/lists/walk';
import type { Store } from '#store/store';
import { actOnJobs, type JobListRow, type JobSearch, startBulk } from './bulk-actions.ts';
import { asTime, boundLimit, boundPage, readSearch } from './job-search.ts';
import { type JobEdit, type JobInput, latestStart } from './resources/job.ts';
import { locationOf, startOf } from './run-detail.ts';

export type { AcceptedJob, JobDetail, JobEdit, JobFilter, JobRecord, JobStatus };

/** A job in another state stays (§3.2, §3.3). */
type FireOutcome = { kind: 'done' | 'not-found' | 'not-pending' };
type RetryOutcome =
  | { kind: 'done'; jobId: string }
  /** `again` was not set (§3.3). */
  | { kind: 'resent'; jobId: string; resent: ResentCount }
  | { kind: 'not-found' | 'not-failed' };
/**
 * `too-late`: over 24 hours after the creation (§2.2). `unreadable`: headers can't be decrypted, and no new ones were
 * given.
 */
type EditOutcome = {
  kind: 'done' | 'not-found' | 'not-pending' | 'no-queue' | 'too-late' | 'unreadable';
};
type DeleteOutcome = { kind: 'done' | 'not-found' | 'not-deletable' };

/** §3.2. Inputs were read by resources/job.ts; ids may be any text. A job of another team is not found. */
export function createJobWork({ jobs }: Store) {
  const findJob = async (teamId: string, jobId: string) =>
    isId(jobId) ? jobs.find(teamId, jobId) : null;
  const explain = async <Refusal extends string>(teamId: string, id: string, refusal: Refusal) =>
    (await findJob(teamId, id)) === null ? ('not-found' as const) : refusal;

  return {
    /** Durable when this resolves. Makes a missing queue with the defaults of §2.3. */
    createJob: async (teamId: string, job: JobInput, actor: string | null = null) =>
      jobs.accept({ ...job, teamId, payload: job.payloadJson, actor }),
    /** Waiting retries too (§3.3). A paused queue holds it (§3.5). */
    fireJob: async (teamId: string, jobId: string): Promise<FireOutcome> => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const fired = await jobs.fire(teamId, [jobId]);
      if (fired.length > 0) return { kind: 'done' };
      return { kind: await explain(teamId, jobId, 'not-pending') };
    },
    /** Also of a waiting retry. The queue must exist; a time in the past is due at once. */
    editJob: async (teamId: string, jobId: string, given: JobEdit): Promise<EditOutcome> => {
      const { payloadJson, ...edit } = given;
      const job = await findJob(teamId, jobId);
      if (!job) return { kind: 'not-found' };
      if (edit.scheduledAt > latestStart(job)) return { kind: 'too-late' };
      if (job.unreadable !== null && edit.headers.length === 0) return { kind: 'unreadable' };
      const edited = await jobs.edit(teamId, jobId, { ...edit, payload: payloadJson });
      if (typeof edited === 'object') return { kind: 'done' };
      return { kind: edited === 'no-queue' ? edited : await explain(teamId, jobId, edited) };
    },
    /** Makes a new job: attempt 1, due now. `again`: even if it was resent before. */
    retryJob: async (
      teamId: string,
      jobId: string,
      options?: { again?: boolean },
      actor: string | null = null,
    ): Promise<RetryOutcome> => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const found = { tab: 'failed' as const, id: jobId };
      const [retried] = await jobs.retryFailed(teamId, [jobId], { ...options, found, actor });
      if (retried) return { kind: 'done', jobId: retried.id };
      const job = await findJob(teamId, jobId);
      if (!job?.retriedAs) return { kind: job ? 'not-failed' : 'not-found' };
      const resent = await jobs.countResent(teamId, [jobId]);
      return { kind: 'resent', jobId: job.retriedAs, resent };
    },
    deleteJob: async (teamId: string, jobId: string): Promise<DeleteOutcome> => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const pending = await jobs.deletePending(teamId, [jobId]);
      const gone = pending.length > 0 ? pending : await jobs.deleteFailed(teamId, [jobId]);
      if (gone.length > 0) return { kind: 'done' };
      return { kind: await explain(teamId, jobId, 'not-deletable') };
    },
    findJob,
    /** With every value, to save some of them again; they aren't shown. */
    findJobToEdit: findJob,
    /** Newest first. */
    listJobs: async (teamId: string, filter: JobFilter) => {
      const asked = [filter.queueId, filter.before];
      if (asked.some((id) => id !== undefined && !isId(id))) return [];
      return jobs.list(teamId, { ...filter, limit: boundLimit(filter.limit) });
    },
    listAttempts: async (teamId: string, originalId: string) =>
      isId(originalId) ? jobs.listAttempts(teamId, originalId) : [],
    /** Jobs without one are left out. */
    readResponseBodies: (teamId: string, jobIds: readonly string[]) =>
      jobs.readBodies(teamId, jobIds.filter(isId)),
    findTeamOfJob: async (jobId: string) => (isId(jobId) ? jobs.findTeam(jobId) : null),
  };
}

const MOST_SAMPLED = 20;
const NOTHING = { count: 0, isMore: false };

export function createJobPages(store: Store) {
  const { lists, bulkTasks, clock } = store;
  return {
    /** Null finds nothing. Cursor and limit are those of `listRuns`. */
    searchJobs: async (
      teamId: string,
      search: JobSearch | null,
      { cursor, limit }: { cursor?: string; limit?: number } = {},
    ): Promise<ListPage<JobListRow>> => {
      const wanted = search && readSearch(search);
      if (wanted === null) return NO_PAGE;
      return lists.listJobs(teamId, wanted, { cursor, limit: boundPage(limit) });
    },
    countTabs: async (teamId: string, queueId?: string) => {
      if (queueId !== undefined && !isId(queueId)) return countNothing();
      return lists.countTabs(teamId, queueId);
    },
    /** `isMore` also if the search stopped early. */
    countJobs: async (teamId: string, search: JobSearch) => {
      const wanted = readSearch(search);
      return wanted === null ? NOTHING : lists.countJobs(teamId, wanted);
    },
    ...bind(store, { actOnJobs, startBulk, listBulkTasks, groupFailures }),
    findBulkTask: async (teamId: string, taskId: string) =>
      isId(taskId) ? bulkTasks.find(teamId, taskId) : null,
    /** Handled jobs stay so. False: it has ended. */
    cancelBulkTask: async (teamId: string, taskId: string) =>
      isId(taskId) && bulkTasks.cancel(teamId, taskId, clock.now()),
  };
}

function countNothing() {
  return {
    all: NOTHING,
    pending: NOTHING,
    processing: NOTHING,
    retrying: NOTHING,
    completed: NOTHING,
    failed: NOTHING,
    resent: NOTHING,
    retried: NOTHING,
  };
}

export type FailureGroup = Awaited<ReturnType<typeof groupFailures>>['groups'][number];

/** By default all; largest group first. */
async function groupFailures(
  { lists, jobs, clock }: Store,
  teamId: string,
  narrowed: Pick<JobSearch, 'queueId' | 'from' | 'to'> = {},
) {
  const { queueId } = narrowed;
  const to = asTime(narrowed.to) ?? clock.now() + 1;
  if (queueId !== undefined && !isId(queueId)) {
    return { groups: [], from: asTime(narrowed.from) ?? to, to, countedBackTo: null };
  }
  const from = asTime(narrowed.from) ?? (await lists.findFirstFailure(teamId, queueId)) ?? to;
  const found = await lists.groupFailures(teamId, { queueId, from, to });
  const sampled = found.groups.slice(0, MOST_SAMPLED).map(({ lastJobId }) => lastJobId);
  const redirected = found.groups.filter(({ statusCode }) => isRedirect(statusCode));
  const redirects = redirected.slice(0, MOST_SAMPLED).map(({ lastJobId }) => lastJobId);
  const [bodies, traces] = await Promise.all([
    jobs.readBodies(teamId, sampled),
    jobs.readTraces(teamId, redirects),
  ]);
  const groups = found.groups.map(({ lastJobId, ...group }) => {
    const body = bodies.get(lastJobId);
    const search: JobSearch = {
      tab: 'failed',
      reason: group.reason,
      target: group.target,
      statusCode: group.statusCode ?? 'none',
      from: found.countedBackTo ?? from,
      to,
      ...(queueId !== undefined && { queueId }),
    };
    /** Null without a response, and in small groups behind the first ones. */
    const sample = body ? startOf(body, body.length).text : null;
    const answer = traces.get(lastJobId);
    const redirectsTo = answer ? findNewTarget(group.target, answer) : null;
    return Object.assign(group, { search, sample, redirectsTo });
  });
  return { groups, from, to, countedBackTo: found.countedBackTo };
}

const isRedirect = (status: number | null) => status !== null && status >= 300 && status <= 399;

/** Null unless the redirect keeps the query, so that each job of the group has the same new target. */
function findNewTarget(target: string, { url, trace }: { url: string; trace: string }) {
  const location = locationOf(readTrace(trace));
  const to = location === null ? null : resolveRedirect(location, url);
  const rest = url.slice(target.length);
  if (to === null || !to.endsWith(rest)) return null;
  const moved = to.slice(0, to.length - rest.length);
  return /[?#]/.test(moved) ? null : moved;
}

const SHOWN_FOR_MS = 10 * 60_000;
/** Larger retries are shown without their outcome. */
const MOST_COUNTED = 1_000;

/** Of the last days, newest first. */
async function listBulkTasks(store: Store, teamId: string) {
  const tasks = await store.bulkTasks.list(teamId);
  return Promise.all(tasks.map((task) => showTask(store, teamId, task)));
}

export interface ShownTask extends BulkTask {
  /** Null for other actions, and if they can't be separated from others' jobs. */
  resent: ResentCount | null;
  /** Of a spread retry; of more than were counted, the last that was. */
  endsAt: number | null;
}

async function showTask(
  { jobs, clock }: Store,
  teamId: string,
  task: BulkTask,
): Promise<ShownTask> {
  const now = clock.now();
  const plain = { ...task, resent: null, endsAt: endOf(task) };
  const isRecent = task.finishedAt !== null && now - task.finishedAt < SHOWN_FOR_MS;
  if (task.kind !== 'retry' || !isRecent || task.done === 0 || task.done > MOST_COUNTED)
    return plain;
  const failedIds = await jobs.listResends(teamId, spanOf(task, now), MOST_COUNTED + 1);
  // Others have resent jobs at the same time, or some are gone.
  if (failedIds.length !== task.done) return plain;
  return { ...plain, resent: await jobs.countResent(teamId, failedIds) };
}

function endOf({ rate, createdAt, finishedAt, done, total }: BulkTask): number | null {
  return (
    rate && startAt(rate, createdAt, Math.max(1, finishedAt === null ? total.count : done) - 1)
  );
}

/** Ids sort by creation time. */
function spanOf({ createdAt, finishedAt }: BulkTask, now: number) {
  return { fromId: earliestIdAt(createdAt), toId: earliestIdAt((finishedAt ?? now) + 1) };
}
