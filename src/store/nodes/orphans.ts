import { cronCallbackBody } from '#domain/judging/callback';
import { FAILURE_TEXTS } from '#domain/judging/failure';
import { newId } from '#domain/base/ids';
import type { CallbackToSend } from '../callbacks/callbacks.ts';
import { type ClaimedRow, findClaimedRuns } from '../runs/claimed-runs.ts';
import { followCrons } from '../alerts/cron-alerts.ts';
import type { Trx } from '../database/database.ts';
import { all, not } from '../database/rows.ts';
import { END_RUNS } from '../runs/end-runs.ts';
import { raiseJobAlerts } from '../alerts/job-alerts.ts';
import type { RunTable } from '../runs/run-tables.ts';
import { endWithoutResponse, packEnds } from '../runs/settlement.ts';

export interface RunKey {
  teamId: string;
  id: string;
}

export interface SettledOrphans {
  deadLettered: number;
  failedExecutions: number;
}

/**
 * Their node will never end them (§3.6): jobs are dead-lettered without a callback, executions fail. Both raise alerts
 * and count.
 */
export async function settleOrphans(
  trx: Trx,
  nodeIds: readonly string[],
  now: number,
  run?: RunKey,
): Promise<SettledOrphans> {
  const settled: SettledOrphans = { deadLettered: 0, failedExecutions: 0 };
  for (const nodeId of nodeIds) {
    const jobs = await endClaimed(trx, 'jobs', nodeId, now, run);
    await alertOfJobs(trx, jobs, now);
    const executions = await endClaimed(trx, 'executions', nodeId, now, run);
    await followFailed(trx, executions, now);
    settled.deadLettered += jobs.length;
    settled.failedExecutions += executions.length;
  }
  return settled;
}

const STATUS = { jobs: 'dead_lettered', executions: 'failed' } as const;

function endOfOrphan(now: number) {
  const errorMessage = FAILURE_TEXTS.workerStopped;
  return { completedAt: now, responseStatus: null, reason: 'worker_failed' as const, errorMessage };
}

/** Never negative, and within the column's range after a clock step. */
function elapsed({ started_at }: ClaimedRow, now: number): number {
  const elapsedMs = now - started_at;
  return elapsedMs > 0 && elapsedMs < 2 ** 31 ? elapsedMs : 0;
}

/** @returns the runs that were still the node's */
async function endClaimed(
  trx: Trx,
  table: RunTable,
  nodeId: string,
  now: number,
  one?: RunKey,
): Promise<ClaimedRow[]> {
  const runs = await findClaimedRuns(trx, table, nodeId, one);
  if (runs.length === 0) return [];
  const { reason, errorMessage } = endOfOrphan(now);
  const ends = runs.map((run) =>
    endWithoutResponse(run, {
      status: STATUS[table],
      completed_at: now,
      reason,
      error_message: errorMessage,
      duration_ms: elapsed(run, now),
    }),
  );
  const callbacks = table === 'executions' ? await callbacksOf(trx, runs, now) : [];
  const packed = packEnds(trx.dialect, table, nodeId, ends, callbacks);
  const ended = await END_RUNS[trx.dialect.name].run(trx, packed);
  if (ended === null) return runs;
  const ids = new Set(ended.map(({ id }) => id));
  return runs.filter(({ id }) => ids.has(id));
}

async function alertOfJobs(trx: Trx, jobs: readonly ClaimedRow[], now: number): Promise<void> {
  if (jobs.length === 0) return;
  const queues = [...new Set(jobs.map(({ owner_id }) => owner_id))];
  const alerting = await all(trx, 'queues', { email_alerts: 1, id: queues }, { columns: ['id'] });
  const queueIds = new Set(alerting.map(({ id }) => id));
  const alerts = jobs
    .filter(({ owner_id }) => queueIds.has(owner_id))
    .map(({ team_id: teamId, owner_id: queueId, id, attempt_number }) => ({
      alert: 'failure' as const,
      run: { teamId, queueId, id, attemptNumber: attempt_number ?? 1 },
      end: endOfOrphan(now),
    }));
  await raiseJobAlerts(trx, alerts);
}

async function followFailed(
  trx: Trx,
  executions: readonly ClaimedRow[],
  now: number,
): Promise<void> {
  const runs = executions
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ team_id: teamId, owner_id: cronId, id }) => ({
      run: { teamId, cronId, id },
      status: STATUS.executions,
      end: endOfOrphan(now),
    }));
  await followCrons(trx, runs);
}

/** A cron's callback follows every execution (§6.3); a job whose worker failed has none (§6.2). */
async function callbacksOf(
  trx: Trx,
  executions: readonly ClaimedRow[],
  now: number,
): Promise<CallbackToSend[]> {
  const called = {
    callback_url: not(null),
    id: [...new Set(executions.map(({ owner_id }) => owner_id))],
  };
  const crons = await all(trx, 'crons', called, { columns: ['team_id', 'id', 'callback_url'] });
  const cronOf = new Map(crons.map((cron) => [cron.id, cron]));
  return executions.flatMap((execution) => {
    const { id, owner_id: cronId } = execution;
    const cron = cronOf.get(cronId);
    if (!cron?.callback_url) return [];
    const ending = { ...endOfOrphan(now), durationMs: elapsed(execution, now) };
    const body = cronCallbackBody({ id, cronId }, 'failed', ending);
    const callback = { id: newId(now), runId: id, url: cron.callback_url, body, createdAt: now };
    return [{ teamId: cron.team_id, ...callback }];
  });
}
