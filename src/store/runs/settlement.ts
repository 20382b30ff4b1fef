import type { EndedJobStatus } from '#domain/runs/run-status';
import type { SeenCertificate } from '#domain/http/certificate';
import { FAILURE_TEXTS, type FailureReason } from '#domain/judging/failure';
import { CALLBACK, type CallbackToSend } from '../callbacks/callbacks.ts';
import type { ClaimedExecution, ClaimedJob, ClaimedRun } from './claims.ts';
import { durationStep } from '../figures/durations.ts';
import { COPY, type JobCopy } from '../jobs/copy-jobs.ts';
import type { Dialect, RowOf } from '../database/dialect.ts';
import { packRecords } from '../database/records.ts';
import {
  ENDED,
  ENDED_TABLE,
  KEPT_COLUMNS,
  type KEY,
  OUTCOME_COLUMNS,
  type RunTable,
} from './run-tables.ts';

/** The stored start of a response (§2.5). */
export interface StoredResponse {
  body: Uint8Array;
  totalBytes: number;
  /** JSON of `Trace`. */
  trace: string;
}

export interface RunEnd {
  completedAt: number;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  durationMs: number;
}

/** The end of a run, with its callback and next attempt (§3.1, §3.2). */
export interface Settlement<Run extends ClaimedRun = ClaimedJob | ClaimedExecution> {
  run: Run;
  status: EndedJobStatus;
  end: RunEnd;
  response: StoredResponse | null;
  next: { id: string; scheduledAt: number } | null;
  callback: CallbackToSend | null;
  /** Of a job (§6.4); a cron's alerts depend on its streak. */
  alert: 'warning' | 'failure' | null;
  /** Of the target; null or absent without a new TLS connection. */
  certificate?: SeenCertificate | null;
}

export type JobSettlement = Settlement<ClaimedJob>;
export type ExecutionSettlement = Settlement<ClaimedExecution>;

/** With the streak, so runs without an alert need no further statement. */
export interface EndedRow {
  id: string;
  /** Null: without alerts and never stopped. */
  follows?: number | null;
  /** 0: no failure is counted or to be recovered from. */
  failed_runs?: number | null;
}

export interface PackedSettlements {
  table: RunTable;
  nodeId: string;
  count: number;
  ends: readonly unknown[];
  /** Else by their keys. */
  byPlace: boolean;
  /** JSON; used on SQLite if all are still there. */
  places: string;
  callbacks: string;
  copies: string;
}

export const NO_ROWS = '[]';

export function streakOf(table: RunTable, ended: string): string {
  if (table === 'jobs') return '';
  const isItsCron = `c.team_id = ${ended}.team_id and c.id = ${ended}.cron_id`;
  return `, (select coalesce(c.alert_threshold, c.stop_after) from crons c where ${isItsCron}) as follows,
    (select c.failed_runs + c.has_raised_failure from crons c where ${isItsCron}) as failed_runs`;
}

/**
 * @param kept alias of the runs
 * @param outcome alias of the outcomes, unpacked from `ENDED`
 * @param from joins both, with its condition
 */
export function insertEnded(
  dialect: Dialect,
  table: RunTable,
  { kept, outcome, from }: { kept: string; outcome: string; from: string },
): string {
  const columns = [...KEPT_COLUMNS[table], ...OUTCOME_COLUMNS];
  const values = [
    ...KEPT_COLUMNS[table].map((name) => `${kept}.${name}`),
    ...OUTCOME_COLUMNS.map((name) => {
      const column = `${outcome}.${name}`;
      return name === 'body' ? dialect.bytesOf(column) : column;
    }),
  ];
  return `
  insert into ${ENDED_TABLE[table]} (${columns.join(', ')})
  select ${values.join(', ')} from ${from}`;
}

type EndOfRun = RowOf<typeof ENDED>;

export function packSettlements(
  dialect: Dialect,
  table: RunTable,
  nodeId: string,
  settlements: readonly Settlement[],
): PackedSettlements {
  const callbacks = settlements.flatMap(({ callback }) => callback ?? []);
  return {
    ...packEnds(dialect, table, nodeId, settlements.map(endedRow), callbacks),
    byPlace: table === 'jobs',
    places: JSON.stringify(settlements.map(({ run }) => (run.kind === 'job' ? run.place : null))),
    copies: packRecords(COPY, settlements.flatMap(copiesOf)),
  };
}

export function packEnds(
  dialect: Dialect,
  table: RunTable,
  nodeId: string,
  ends: readonly EndOfRun[],
  callbacks: readonly CallbackToSend[] = [],
): PackedSettlements {
  return {
    table,
    nodeId,
    count: ends.length,
    ends: dialect.packColumns(ENDED, ends),
    byPlace: false,
    places: NO_ROWS,
    callbacks: packRecords(CALLBACK, callbacks),
    copies: NO_ROWS,
  };
}

const NO_RESPONSE = { total_bytes: null, trace: null, body: null } as const;

/** Not sent, or without a known response. */
export function endWithoutResponse(
  { team_id, id }: RowOf<typeof KEY>,
  end: Pick<EndOfRun, 'status' | 'completed_at' | 'reason' | 'error_message' | 'duration_ms'>,
): EndOfRun {
  const duration_step = durationStep(end.reason, end.duration_ms ?? 0);
  return { team_id, id, ...end, response_status: null, ...NO_RESPONSE, duration_step, place: null };
}

/** Nothing is sent (§2.7). */
export function overLimit(run: RowOf<typeof KEY>, now: number): EndOfRun {
  return endWithoutResponse(run, {
    status: 'failed',
    completed_at: now,
    reason: 'limit_exceeded',
    error_message: FAILURE_TEXTS.limitReached,
    duration_ms: 0,
  });
}

function endedRow({ run, status, end, response }: Settlement): EndOfRun {
  return {
    team_id: run.teamId,
    id: run.id,
    status,
    completed_at: end.completedAt,
    response_status: end.responseStatus,
    reason: end.reason,
    error_message: end.errorMessage,
    duration_ms: end.durationMs,
    duration_step: durationStep(end.reason, end.durationMs),
    place: run.kind === 'job' ? run.place : null,
    ...(response === null
      ? NO_RESPONSE
      : { total_bytes: response.totalBytes, trace: response.trace, body: response.body }),
  };
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
      actor: null,
    },
  ];
}
