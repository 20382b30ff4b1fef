import { formatInstant } from '#domain/base/instant';
import type { Cron } from '#work/crons';
import { CRON_REQUEST, type CronInput } from '#work/resources/cron';
import { JOB, type JobInput } from '#work/resources/job';
import { namesOf, type Resource } from '#work/resources/resource';
import type { Work } from '#work/work';

/** A user or a service account. */
export interface TokenOwner {
  /** The user's selected team, or the service account's. Null if none is selected (§5.2). */
  teamId: string | null;
  /** Of the jobs that it makes. */
  actor: string;
  /** Viewers can read, but create nothing (§5.8). */
  isViewer: boolean;
}

/** Promises resolve when the data is on disk. The code 'STORE_UNAVAILABLE' is answered with 503, others with 500. */
export interface ApiServices {
  /** Null if nobody has the token. */
  findTokenOwner(token: string): Promise<TokenOwner | null>;
  createCron(teamId: string, input: CronInput): Promise<Pick<Cron, 'id' | 'nextRunAt'>>;
  createJob: Work['createJob'];
}

interface Caller {
  teamId: string;
  actor: string;
}

export interface Endpoint<Input extends object> {
  resource: Resource<Input>;
  /** Of its fields; the API ignores others. */
  names: ReadonlySet<string>;
  create(services: ApiServices, input: Input, caller: Caller): Promise<object>;
}

/** POST /api/crons (§4.1) */
export const cronEndpoint: Endpoint<CronInput> = {
  resource: CRON_REQUEST,
  names: namesOf(CRON_REQUEST),
  create: async (services, input, { teamId }) => {
    const { id, nextRunAt } = await services.createCron(teamId, input);
    return {
      id,
      name: input.name,
      cron_expression: input.cronExpression,
      next_run_at: nextRunAt === null ? null : formatInstant(nextRunAt),
      is_active: input.isActive,
    };
  },
};

/** POST /api/jobs (§4.2) */
export const jobEndpoint: Endpoint<JobInput> = {
  resource: JOB,
  names: namesOf(JOB),
  create: async (services, input, { teamId, actor }) => {
    const { queueId, jobId, scheduledAt } = await services.createJob(teamId, input, actor);
    return {
      success: true,
      queue_id: queueId,
      job_id: jobId,
      scheduled_at: formatInstant(scheduledAt),
      message: 'Scheduled successfully',
    };
  },
};
