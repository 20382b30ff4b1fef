import { type CallbackToSend, insertCallbacks } from './callbacks.ts';
import type { ClaimedExecution } from './claims.ts';
import { followCrons, type SettledRun } from './cron-alerts.ts';
import type { Database } from './database.ts';
import { packRows } from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';
import { countOutcomes, outcomeOf } from './outcomes.ts';
import { insertResponses } from './settle-jobs.ts';
import { uncountRuns, unsentRuns } from './usage.ts';
import { ENDED, endedRow, type RunEnd, type StoredResponse } from './settlement.ts';

/** Everything that changes together when an execution ends (§3.1). */
export interface ExecutionSettlement {
  execution: ClaimedExecution;
  status: 'success' | 'failed';
  end: RunEnd;
  response: StoredResponse | null;
  callback: CallbackToSend | null;
}

interface EndedRow {
  id: string;
  alert_threshold: number | null;
  failed_runs: number | null;
}

/**
 * Says with each execution how its cron's streak stands, so that runs without an alert in sight cost no
 * further statement.
 */
const endExecutions = hotStatement<EndedRow>(
  'end-executions',
  (dialect) => `
  update executions set status = given.status, claimed_by = null,
    completed_at = given.completed_at, response_status = given.response_status,
    reason = given.reason, error_message = given.error_message, duration_ms = given.duration_ms
  from ${dialect.rows(ENDED, 1)} ${dialect.briefly}
  where executions.team_id = given.team_id and executions.id = given.id
    and ${dialect.unindexed('executions.status')} = 'running'
    and executions.claimed_by = ${dialect.$(2)}
  returning executions.id,
    (select c.alert_threshold from crons c
     where c.team_id = executions.team_id and c.id = executions.cron_id) as alert_threshold,
    (select c.failed_runs from crons c
     where c.team_id = executions.team_id and c.id = executions.cron_id) as failed_runs`,
);

/**
 * Ends executions in one transaction: their outcome, the callbacks and alerts to send. Those whose claim is
 * gone are left as they are.
 *
 * @returns the ids that were still this node's to end, and whether alerts were raised
 */
export async function settleExecutions(
  db: Database,
  nodeId: string,
  settlements: readonly ExecutionSettlement[],
): Promise<{ ours: Set<string>; hasRaised: boolean }> {
  return db.transact(async (trx) => {
    const { dialect } = db;
    const rows = settlements.map(({ execution, status, end }) => endedRow(execution, status, end));
    const ended = await runHot(trx, dialect, endExecutions, [packRows(ENDED, rows), nodeId]);
    const ours = new Set(ended.map(({ id }) => id));
    const kept = settlements.filter(({ execution }) => ours.has(execution.id));
    await insertResponses(
      trx,
      dialect,
      kept.map(({ execution, response }) => ({
        teamId: execution.teamId,
        runId: execution.id,
        response,
      })),
    );
    await insertCallbacks(
      trx,
      dialect,
      kept.flatMap(({ callback }) => callback ?? []),
    );
    await countOutcomes(
      trx,
      dialect,
      kept.map(({ execution: { teamId }, status, end: { completedAt } }) => {
        return { teamId, outcome: outcomeOf(status), completedAt };
      }),
    );
    const hasRaised = await followCrons(trx, dialect, findAlertable(kept, ended));
    await uncountRuns(trx, dialect, unsentRuns(kept.map(({ execution }) => execution)));
    return { ours, hasRaised };
  });
}

/**
 * The runs, in their order, of the crons whose streak can change or that have one: nothing happens where a
 * cron without failed runs only succeeds.
 */
function findAlertable(
  settled: readonly ExecutionSettlement[],
  ended: readonly EndedRow[],
): SettledRun[] {
  const watched = new Map(
    ended.flatMap((row) => (row.alert_threshold === null ? [] : [[row.id, row]])),
  );
  const runs = settled.filter(({ execution }) => watched.has(execution.id));
  const stirred = new Set(
    runs.flatMap(({ execution, status }) => {
      const isCalm = status === 'success' && watched.get(execution.id)?.failed_runs === 0;
      return isCalm ? [] : [execution.cronId];
    }),
  );
  return runs
    .filter(({ execution }) => stirred.has(execution.cronId))
    .map(({ execution, status, end }) => ({
      teamId: execution.teamId,
      cronId: execution.cronId,
      executionId: execution.id,
      isSuccess: status === 'success',
      end,
    }));
}
