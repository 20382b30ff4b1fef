import { sql } from 'kysely';
import { cronCallbackBody } from '#domain/callback';
import { FAILURE_TEXTS } from '#domain/failure';
import { newId } from '#domain/ids';
import { type CallbackToSend, insertCallbacks } from './callbacks.ts';
import { followCrons } from './cron-alerts.ts';
import type { Trx } from './database.ts';
import type { Dialect } from './dialect.ts';
import { raiseJobAlerts } from './job-alerts.ts';
import { countFailed } from './outcomes.ts';
import type { ExecutionsTable } from './schema.ts';

const WORKER_FAILED = {
  claimed_by: null,
  reason: 'worker_failed',
  error_message: FAILURE_TEXTS.workerStopped,
} as const;

/** From its start until it was found dead; never negative, and bounded by the column's width, whatever the clocks did. */
function elapsed(now: number) {
  return sql<number>`case when started_at < ${now} and ${now} - started_at < 2147483647
    then ${now} - started_at else 0 end`;
}

/** Which runs: all that nodes have claimed, or one of them. */
export interface Orphans {
  nodeIds: readonly string[];
  runId?: string;
}

/** How many there were of each. */
export interface SettledOrphans {
  deadLettered: number;
  failedExecutions: number;
}

/**
 * Settles runs that nobody will end any more, in the caller's transaction (§3.6): jobs are dead-lettered
 * without a callback, executions fail. Both raise alerts and are counted as any other end is.
 */
export async function settleOrphans(
  trx: Trx,
  dialect: Dialect,
  orphans: Orphans,
  now: number,
): Promise<SettledOrphans> {
  return {
    deadLettered: await deadLetterJobs(trx, dialect, orphans, now),
    failedExecutions: await failExecutions(trx, dialect, orphans, now),
  };
}

function endOfOrphan(completedAt: number) {
  const { reason, error_message } = WORKER_FAILED;
  return { completedAt, responseStatus: null, reason, errorMessage: error_message };
}

/** The state stands in the text and not among the values: only then does a partial index serve. */
async function deadLetterJobs(
  trx: Trx,
  dialect: Dialect,
  { nodeIds, runId }: Orphans,
  now: number,
): Promise<number> {
  const jobs = await trx
    .updateTable('jobs')
    .set({
      ...WORKER_FAILED,
      status: 'dead_lettered',
      completed_at: now,
      duration_ms: elapsed(now),
    })
    .where('status', '=', sql.lit('processing'))
    .where('claimed_by', 'in', nodeIds)
    .$if(runId !== undefined, (query) => query.where('id', '=', runId as string))
    .returning(['team_id', 'id', 'queue_id', 'attempt_number'])
    .execute();
  if (jobs.length === 0) return 0;
  const alerting = await trx
    .selectFrom('queues')
    .select('id')
    .where('email_alerts', '=', 1)
    .where('id', 'in', [...new Set(jobs.map(({ queue_id }) => queue_id))])
    .execute();
  const queueIds = new Set(alerting.map(({ id }) => id));
  const alerts = jobs
    .filter(({ queue_id }) => queueIds.has(queue_id))
    .map((job) => ({
      level: 'failure' as const,
      teamId: job.team_id,
      queueId: job.queue_id,
      jobId: job.id,
      attemptNumber: job.attempt_number,
      end: endOfOrphan(now),
    }));
  await raiseJobAlerts(trx, dialect, alerts);
  await countFailed(trx, dialect, jobs, now);
  return jobs.length;
}

async function failExecutions(
  trx: Trx,
  dialect: Dialect,
  { nodeIds, runId }: Orphans,
  now: number,
): Promise<number> {
  const executions = await trx
    .updateTable('executions')
    .set({ ...WORKER_FAILED, status: 'failed', completed_at: now, duration_ms: elapsed(now) })
    .where('status', '=', sql.lit('running'))
    .where('claimed_by', 'in', nodeIds)
    .$if(runId !== undefined, (query) => query.where('id', '=', runId as string))
    .returning(['team_id', 'id', 'cron_id', 'duration_ms'])
    .execute();
  await insertCallbacks(trx, dialect, await callbacksOf(trx, executions, now));
  const runs = executions
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((execution) => ({
      teamId: execution.team_id,
      cronId: execution.cron_id,
      executionId: execution.id,
      isSuccess: false,
      end: endOfOrphan(now),
    }));
  await followCrons(trx, dialect, runs);
  await countFailed(trx, dialect, executions, now);
  return executions.length;
}

/**
 * A cron's callback is "sent after every execution, success or failure" (§6.3); only a job whose worker
 * failed has none (§6.2).
 */
async function callbacksOf(
  trx: Trx,
  executions: readonly Pick<ExecutionsTable, 'id' | 'cron_id' | 'duration_ms'>[],
  now: number,
): Promise<CallbackToSend[]> {
  if (executions.length === 0) return [];
  const crons = await trx
    .selectFrom('crons')
    .select(['team_id', 'id', 'callback_url'])
    .where('callback_url', 'is not', null)
    .where('id', 'in', [...new Set(executions.map(({ cron_id }) => cron_id))])
    .execute();
  const cronOf = new Map(crons.map((cron) => [cron.id, cron]));
  return executions.flatMap(({ id, cron_id, duration_ms }) => {
    const cron = cronOf.get(cron_id);
    if (!cron?.callback_url) return [];
    const { reason: failureReason, ...end } = endOfOrphan(now);
    const durationMs = duration_ms ?? 0;
    const ending = { ...end, failureReason, durationMs, cronId: cron_id, executionId: id };
    const body = cronCallbackBody({ ...ending, status: 'failed' });
    const callback = { id: newId(now), runId: id, url: cron.callback_url, body, createdAt: now };
    return [{ teamId: cron.team_id, ...callback }];
  });
}
