import type { FailureReason } from '#domain/failure';
import { CALLBACK, callbackRow, type CallbackToSend } from './callbacks.ts';
import type { ClaimedExecution, ClaimedJob, ClaimedRun } from './claims.ts';
import { COPY, copyRow, type JobCopy } from './copy-jobs.ts';
import { type Dialect, type Fields, packRows, type RowOf } from './dialect.ts';
import { RUNNING, type RunTable } from './run-tables.ts';

/** What is kept of a response, apart from the run's row (§2.5). */
export interface StoredResponse {
  body: Uint8Array;
  totalBytes: number;
  /** JSON of `Trace`. */
  trace: string;
}

/** How a run ended, in the columns that jobs and executions share. */
export interface RunEnd {
  completedAt: number;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  durationMs: number;
}

/** Everything that changes together when a run ends (§3.1, §3.2). */
export interface Settlement<Run extends ClaimedRun = ClaimedJob | ClaimedExecution> {
  run: Run;
  status: 'success' | 'retried' | 'dead_lettered' | 'failed';
  end: RunEnd;
  response: StoredResponse | null;
  /** The next attempt of a job, which is a new job with a new id. */
  next: { id: string; scheduledAt: number } | null;
  callback: CallbackToSend | null;
  /** The level of the alert that a job raises (§6.4); a cron's follow its streak. */
  alert: 'warning' | 'failure' | null;
}

export type JobSettlement = Settlement<ClaimedJob>;
export type ExecutionSettlement = Settlement<ClaimedExecution>;

export const ENDED = {
  team_id: 'id',
  id: 'id',
  queue_id: 'id',
  status: 'text',
  completed_at: 'bigint',
  response_status: 'int',
  reason: 'text',
  error_message: 'text',
  duration_ms: 'int',
} as const satisfies Fields;

export const RESPONSE = {
  team_id: 'id',
  run_id: 'id',
  total_bytes: 'bigint',
  trace: 'text',
  body: 'bytes',
} as const satisfies Fields;

/** What ended, and how a cron's streak stood: runs without an alert in sight then cost no further statement. */
export interface EndedRow {
  id: string;
  /** Of a cron. */
  alert_threshold?: number | null;
  failed_runs?: number | null;
}

/** A batch of settlements as the parameters of the statements that write it (`packRows`). */
export interface PackedSettlements {
  table: RunTable;
  nodeId: string;
  count: number;
  ends: string;
  responses: string;
  callbacks: string;
  copies: string;
}

export const NO_ROWS = '[]';

const STREAK = `,
    (select c.alert_threshold from crons c
     where c.team_id = executions.team_id and c.id = executions.cron_id) as alert_threshold,
    (select c.failed_runs from crons c
     where c.team_id = executions.team_id and c.id = executions.cron_id) as failed_runs`;

/**
 * Ends runs. Asks for the claim that each was started under, and changes nothing where it is gone.
 *
 * @param ends  a table expression that gives `ENDED` rows called `given`
 */
export function endRuns(dialect: Dialect, table: RunTable, ends: string): string {
  return `
  update ${table} set status = given.status, claimed_by = null, completed_at = given.completed_at,
    response_status = given.response_status, reason = given.reason,
    error_message = given.error_message, duration_ms = given.duration_ms
  from ${ends}
  where ${table}.team_id = given.team_id and ${table}.id = given.id
    and ${dialect.unindexed(`${table}.status`)} = '${RUNNING[table]}'
    and ${table}.claimed_by = ${dialect.$(2)}
  returning ${table}.team_id, ${table}.id ${table === 'executions' ? STREAK : ''}`;
}

/** @param kept  joins those of the rows `given` that are written, where not all are */
export function insertResponses(dialect: Dialect, parameter: number, kept = ''): string {
  return `
  insert into responses (team_id, run_id, total_bytes, trace, body)
  select given.team_id, given.run_id, given.total_bytes, given.trace, ${dialect.bytesOf('given.body')}
  from ${dialect.rows(RESPONSE, parameter)} ${kept}`;
}

export function packSettlements(
  table: RunTable,
  nodeId: string,
  settlements: readonly Settlement[],
): PackedSettlements {
  const callbacks = settlements.flatMap(({ callback }) => callback ?? []);
  return {
    table,
    nodeId,
    count: settlements.length,
    ends: packRows(ENDED, settlements.map(endedRow)),
    responses: packRows(RESPONSE, settlements.flatMap(responseRows)),
    callbacks: packRows(CALLBACK, callbacks.map(callbackRow)),
    copies: packRows(COPY, settlements.flatMap(copiesOf).map(copyRow)),
  };
}

function endedRow({ run, status, end }: Settlement): RowOf<typeof ENDED> {
  return {
    team_id: run.teamId,
    id: run.id,
    queue_id: run.kind === 'job' ? run.queueId : null,
    status,
    completed_at: end.completedAt,
    response_status: end.responseStatus,
    reason: end.reason,
    error_message: end.errorMessage,
    duration_ms: end.durationMs,
  };
}

function responseRows({ run, response }: Settlement): RowOf<typeof RESPONSE>[] {
  if (response === null) return [];
  const { totalBytes, trace, body } = response;
  return [{ team_id: run.teamId, run_id: run.id, total_bytes: totalBytes, trace, body }];
}

function copiesOf({ run, next, end }: Settlement): JobCopy[] {
  if (run.kind !== 'job' || next === null) return [];
  return [
    {
      teamId: run.teamId,
      fromId: run.id,
      id: next.id,
      originalId: run.originalId,
      attemptNumber: run.attemptNumber + 1,
      createdAt: end.completedAt,
      scheduledAt: next.scheduledAt,
    },
  ];
}
