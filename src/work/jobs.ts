import { isId } from '#domain/ids';
import type { AcceptedJob } from '#store/jobs/accept-jobs';
import type { JobDetail, JobFilter, JobRecord } from '#store/jobs/job-records';
import type { ResentCount } from '#store/jobs/resent';
import type { JobStatus } from '#domain/run-status';
import type { Store } from '#store/store';
import type { JobEdit, JobInput } from './resources/job.ts';
import { LIMITS } from '#domain/limits';
import { boundLimit } from './list-limit.ts';

export type { AcceptedJob, JobDetail, JobEdit, JobFilter, JobRecord, JobStatus };

/** The outcomes of Fire now, Retry and Delete. A job in another state is left unchanged (§3.2, §3.3). */
type FireOutcome = { kind: 'done' | 'not-found' | 'not-pending' };
type RetryOutcome =
  | { kind: 'done'; jobId: string }
  /** It was resent before, and `again` was not set (§3.3). */
  | { kind: 'resent'; jobId: string; resent: ResentCount }
  | { kind: 'not-found' | 'not-failed' };
/**
 * The outcomes of Edit. `too-late`: the new time is more than 24 hours after the job was made (§2.2). `unreadable`: the
 * job's headers can't be opened, and no new ones were given.
 */
type EditOutcome = {
  kind: 'done' | 'not-found' | 'not-pending' | 'no-queue' | 'too-late' | 'unreadable';
};
type DeleteOutcome = { kind: 'done' | 'not-found' | 'not-deletable' };

/**
 * Managing a team's jobs (§3.2). Inputs have been read by resources/job.ts; ids may be any text. A job that the team does
 * not have is not found, even if another team has it.
 */
export interface JobWork {
  /**
   * Makes a job, which is durable when this resolves. If its queue is missing, it is made with the defaults of §2.3
   * too.
   */
  createJob(teamId: string, input: JobInput): Promise<AcceptedJob>;
  /** Fire now: makes a pending attempt due, a waiting retry too (§3.3). A paused queue still holds it (§3.5). */
  fireJob(teamId: string, jobId: string): Promise<FireOutcome>;
  /**
   * Makes a new job of a failed one: attempt 1, due now. The failed one stays.
   *
   * @param options  `again`: even if it was resent before
   */
  retryJob(teamId: string, jobId: string, options?: { again?: boolean }): Promise<RetryOutcome>;
  /**
   * Changes a pending attempt, also one that waits for its retry. Its queue must exist; a time in the past is due at
   * once.
   */
  editJob(teamId: string, jobId: string, edit: JobEdit): Promise<EditOutcome>;
  /** Deletes a pending job, which is then never sent, or a failed one. */
  deleteJob(teamId: string, jobId: string): Promise<DeleteOutcome>;
  findJob(teamId: string, jobId: string): Promise<JobDetail | null>;
  /** Newest first. */
  listJobs(teamId: string, filter: JobFilter): Promise<JobRecord[]>;
  /** All attempts of a job, first to last. */
  listAttempts(teamId: string, originalId: string): Promise<JobRecord[]>;
  /** The stored response bodies by job; jobs without one are left out. */
  readResponseBodies(teamId: string, jobIds: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** For the operator, who has only the job's id. */
  findTeamOfJob(jobId: string): Promise<string | null>;
}

/** The latest time that a waiting job may be moved to. */
export function latestStart({ createdAt }: Pick<JobRecord, 'createdAt'>): number {
  return createdAt + LIMITS.delaySeconds.most * 1000;
}

export function createJobWork({ jobs }: Store): JobWork {
  const findJob = async (teamId: string, jobId: string) =>
    isId(jobId) ? jobs.find(teamId, jobId) : null;
  /** Explains why an action changed nothing. */
  const explain = async <Refusal extends string>(teamId: string, id: string, refusal: Refusal) =>
    (await findJob(teamId, id)) === null ? ('not-found' as const) : refusal;

  return {
    createJob: async (teamId, { payloadJson, ...job }) =>
      jobs.accept({ ...job, teamId, payload: payloadJson }),
    fireJob: async (teamId, jobId) => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const fired = await jobs.fire(teamId, [jobId]);
      if (fired.length > 0) return { kind: 'done' };
      return { kind: await explain(teamId, jobId, 'not-pending') };
    },
    editJob: async (teamId, jobId, { payloadJson, ...edit }) => {
      const job = await findJob(teamId, jobId);
      if (!job) return { kind: 'not-found' };
      if (edit.scheduledAt > latestStart(job)) return { kind: 'too-late' };
      if (job.unreadable !== null && edit.headers.length === 0) return { kind: 'unreadable' };
      const edited = await jobs.edit(teamId, jobId, { ...edit, payload: payloadJson });
      if (typeof edited === 'object') return { kind: 'done' };
      return { kind: edited === 'no-queue' ? edited : await explain(teamId, jobId, edited) };
    },
    retryJob: async (teamId, jobId, options) => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const found = { tab: 'failed' as const, id: jobId };
      const [retried] = await jobs.retryFailed(teamId, [jobId], { ...options, found });
      if (retried) return { kind: 'done', jobId: retried.id };
      const job = await findJob(teamId, jobId);
      if (!job?.retriedAs) return { kind: job ? 'not-failed' : 'not-found' };
      const resent = await jobs.countResent(teamId, [jobId]);
      return { kind: 'resent', jobId: job.retriedAs, resent };
    },
    deleteJob: async (teamId, jobId) => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const pending = await jobs.deletePending(teamId, [jobId]);
      const gone = pending.length > 0 ? pending : await jobs.deleteFailed(teamId, [jobId]);
      if (gone.length > 0) return { kind: 'done' };
      return { kind: await explain(teamId, jobId, 'not-deletable') };
    },
    findJob,
    listJobs: async (teamId, filter) => {
      const asked = [filter.queueId, filter.before];
      if (asked.some((id) => id !== undefined && !isId(id))) return [];
      return jobs.list(teamId, { ...filter, limit: boundLimit(filter.limit) });
    },
    listAttempts: async (teamId, originalId) =>
      isId(originalId) ? jobs.listAttempts(teamId, originalId) : [],
    readResponseBodies: (teamId, jobIds) => jobs.readBodies(teamId, jobIds.filter(isId)),
    findTeamOfJob: async (jobId) => (isId(jobId) ? jobs.findTeam(jobId) : null),
  };
}
