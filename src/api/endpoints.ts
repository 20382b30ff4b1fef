import { formatInstant } from '#domain/base/instant';
import { CRON_FIELDS, type CronInput, readCronInput } from '#work/resources/cron';
import type { Fields, Reading } from '#work/fields';
import { JOB_FIELDS, type JobInput, readJobInput } from '#work/resources/job';
import type { ApiServices } from './services.ts';

interface Caller {
  teamId: string;
  actor: string;
}

export interface Endpoint<Input> {
  fields: ReadonlySet<string>;
  read(fields: Fields): Reading<Input>;
  create(services: ApiServices, input: Input, caller: Caller): Promise<object>;
}

/** POST /api/crons (§4.1) */
export const cronEndpoint: Endpoint<CronInput> = {
  fields: CRON_FIELDS,
  read: readCronInput,
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
  fields: JOB_FIELDS,
  read: readJobInput,
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
