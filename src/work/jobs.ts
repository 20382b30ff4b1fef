import { isId } from '#domain/base/ids';
import type { ActivityAction } from '#domain/team/activity';
import type { JobStatus } from '#domain/runs/run-status';
import type { AcceptedJob } from '#store/jobs/accept-jobs';
import type { JobDetail, JobFilter, JobRecord } from '#store/jobs/job-records';
import type { ResentCount } from '#store/jobs/resent';
import type { Store } from '#store/store';
import { anybody, type Doing, jobSubject } from './acting.ts';
import { boundLimit } from './list-limit.ts';
import { JOB_EDIT, type JobEdit, type JobInput, latestStart } from './resources/job.ts';
import { describeChange } from './resources/resource.ts';

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
export function createJobWork({ jobs }: Store, doing: Doing = anybody()) {
  const done = async (teamId: string, action: ActivityAction, id: string, detail?: string) => {
    await doing.recorded(teamId, action, jobSubject(id), () => detail);
    return { kind: 'done' } as const;
  };
  const findJob = async (teamId: string, jobId: string) =>
    isId(jobId) ? jobs.find(teamId, jobId) : null;
  const explain = async <Refusal extends string>(teamId: string, id: string, refusal: Refusal) =>
    (await findJob(teamId, id)) === null ? ('not-found' as const) : refusal;

  return {
    /** Durable when this resolves. Makes a missing queue with the defaults of §2.3. */
    createJob: async (teamId: string, job: JobInput, given: string | null = null) => {
      const actor = doing.actor ?? given;
      const made = await jobs.accept({ ...job, teamId, payload: job.payloadJson, actor });
      await done(teamId, 'job.created', made.jobId, `in ${job.queue}`);
      return made;
    },
    /** Waiting retries too (§3.3). A paused queue holds it (§3.5). */
    fireJob: async (teamId: string, jobId: string): Promise<FireOutcome> => {
      const fired = isId(jobId) ? await jobs.fire(teamId, [jobId]) : [];
      if (fired.length === 0) return { kind: await explain(teamId, jobId, 'not-pending') };
      return done(teamId, 'job.fired', jobId);
    },
    /** Also of a waiting retry. The queue must exist; a time in the past is due at once. */
    editJob: async (teamId: string, jobId: string, given: JobEdit): Promise<EditOutcome> => {
      const { payloadJson, ...edit } = given;
      const job = await findJob(teamId, jobId);
      if (!job) return { kind: 'not-found' };
      if (edit.scheduledAt > latestStart(job)) return { kind: 'too-late' };
      if (job.unreadable !== null && edit.headers.length === 0) return { kind: 'unreadable' };
      const edited = await jobs.edit(teamId, jobId, { ...edit, payload: payloadJson });
      if (typeof edited !== 'object')
        return { kind: edited === 'no-queue' ? edited : await explain(teamId, jobId, edited) };
      const before = { ...job, payloadJson: job.payload };
      return done(teamId, 'job.edited', jobId, describeChange(JOB_EDIT, before, given));
    },
    /** Makes a new job: attempt 1, due now. `again`: even if it was resent before. */
    retryJob: async (
      teamId: string,
      jobId: string,
      options?: { again?: boolean },
    ): Promise<RetryOutcome> => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const found = { tab: 'failed' as const, id: jobId };
      const how = { ...options, found, actor: doing.actor };
      const [retried] = await jobs.retryFailed(teamId, [jobId], how);
      if (retried) return { ...(await done(teamId, 'job.retried', jobId)), jobId: retried.id };
      const job = await findJob(teamId, jobId);
      if (!job?.retriedAs) return { kind: job ? 'not-failed' : 'not-found' };
      const resent = await jobs.countResent(teamId, [jobId]);
      return { kind: 'resent', jobId: job.retriedAs, resent };
    },
    deleteJob: async (teamId: string, jobId: string): Promise<DeleteOutcome> => {
      if (!isId(jobId)) return { kind: 'not-found' };
      const pending = await jobs.deletePending(teamId, [jobId]);
      const gone = pending.length > 0 ? pending : await jobs.deleteFailed(teamId, [jobId]);
      if (gone.length === 0) return { kind: await explain(teamId, jobId, 'not-deletable') };
      return done(teamId, 'job.deleted', jobId);
    },
    ...createJobReads(jobs),
    findJob,
    /** With every value, to save some of them again; they aren't shown. */
    findJobToEdit: findJob,
  };
}

function createJobReads(jobs: Store['jobs']) {
  return {
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
