import { CALLBACK, callbackRow, insertCallbackRows } from './callbacks.ts';
import { COPY, copyRow, insertCopies } from './copy-jobs.ts';
import { settleAtOnce } from './settle-jobs-at-once.ts';
import type { Database, Trx } from './database.ts';
import { type Dialect, type Fields, packRows, type RowOf } from './dialect.ts';
import { type HotStatement, hotStatement, runHot } from './hot.ts';
import { addOutcomes, OUTCOME, outcomeOf, outcomeRows } from './outcomes.ts';
import type { Procedure } from './procedure.ts';
import { raiseJobAlerts } from './job-alerts.ts';
import { uncountRuns, unsentRuns } from './usage.ts';
import {
  copiesOf,
  ENDED,
  endedRow,
  type JobSettlement,
  type StoredResponse,
} from './settlement.ts';

/** Asks for the claim that the attempt was started under, and changes nothing where it is gone. */
const endJobs = hotStatement<{ id: string }>(
  'end-jobs',
  (dialect) => `
  update jobs set status = given.status, claimed_by = null, completed_at = given.completed_at,
    response_status = given.response_status, reason = given.reason,
    error_message = given.error_message, duration_ms = given.duration_ms
  from ${dialect.rows(ENDED, 1)} ${dialect.briefly}
  where jobs.team_id = given.team_id and jobs.id = given.id
    and ${dialect.unindexed('jobs.status')} = 'processing'
    and jobs.claimed_by = ${dialect.$(2)}
  returning jobs.id`,
);

const RESPONSE = {
  team_id: 'id',
  run_id: 'id',
  total_bytes: 'bigint',
  trace: 'text',
  body: 'bytes',
} as const satisfies Fields;

const insertResponseRows = hotStatement<never>(
  'insert-responses',
  (dialect) => `
  insert into responses (team_id, run_id, total_bytes, trace, body)
  select team_id, run_id, total_bytes, trace, ${dialect.bytesOf('body')}
  from ${dialect.rows(RESPONSE, 1)}`,
);

interface RunResponse {
  teamId: string;
  runId: string;
  response: StoredResponse | null;
}

export async function insertResponses(
  trx: Trx,
  dialect: Dialect,
  responses: readonly RunResponse[],
): Promise<void> {
  const rows = responseRows(responses);
  if (rows.length > 0) await runHot(trx, dialect, insertResponseRows, [packRows(RESPONSE, rows)]);
}

function responseRows(responses: readonly RunResponse[]): RowOf<typeof RESPONSE>[] {
  return responses.flatMap(({ teamId, runId, response }) => {
    if (response === null) return [];
    const { totalBytes, trace, body } = response;
    return [{ team_id: teamId, run_id: runId, total_bytes: totalBytes, trace, body }];
  });
}

/** Settlements as the parameters of the statements that write them (`packRows`). */
interface SettleInput {
  nodeId: string;
  count: number;
  ends: string;
  responses: string | null;
  copies: string | null;
  callbacks: string | null;
  outcomes: string;
}

/** Gives the ids that were still the node's to end; of the others nothing is written. */
export const settleProcedure: Procedure<SettleInput, string[]> = {
  name: 'settle-jobs',
  async run(runner, dialect, input) {
    const rows = await runHot(runner, dialect, endJobs, [input.ends, input.nodeId]);
    const ended = rows.map(({ id }) => id);
    const kept = ended.length === input.count ? input : onlyOf(new Set(ended), input);
    const write = async (statement: HotStatement<never>, packed: string | null) => {
      if (packed !== null) await runHot(runner, dialect, statement, [packed]);
    };
    await write(insertResponseRows, kept.responses);
    await write(insertCopies, kept.copies);
    await write(insertCallbackRows, kept.callbacks);
    await write(addOutcomes, kept.outcomes);
    return ended;
  },
};

/** What is left of a batch when some of its attempts are another node's by now: rare, so it may be unpacked for that. */
function onlyOf(ours: ReadonlySet<string>, input: SettleInput): SettleInput {
  const keep = (packed: string | null, key: string) => {
    if (packed === null) return null;
    const rows = JSON.parse(packed) as Record<string, string>[];
    return JSON.stringify(rows.filter((row) => ours.has(row[key] ?? '')));
  };
  const ends = keep(input.ends, 'id') ?? '[]';
  const ended = JSON.parse(ends) as EndedJob[];
  return {
    ...input,
    ends,
    responses: keep(input.responses, 'run_id'),
    copies: keep(input.copies, 'from_id'),
    callbacks: keep(input.callbacks, 'run_id'),
    outcomes: packRows(OUTCOME, outcomeRows(ended.map(endedRun))),
  };
}

function packSettlements(nodeId: string, settlements: readonly JobSettlement[]): SettleInput {
  const ends = settlements.map(({ job, status, end }) => endedRow(job, status, end));
  const responses = settlements.map(({ job, response }) => ({
    teamId: job.teamId,
    runId: job.id,
    response,
  }));
  const packed = <F extends Fields>(fields: F, rows: readonly RowOf<F>[]) =>
    rows.length === 0 ? null : packRows(fields, rows);
  return {
    nodeId,
    count: ends.length,
    ends: packRows(ENDED, ends),
    responses: packed(RESPONSE, responseRows(responses)),
    copies: packed(COPY, copiesOf(settlements).map(copyRow)),
    callbacks: packed(
      CALLBACK,
      settlements.flatMap(({ callback }) => callback ?? []).map(callbackRow),
    ),
    outcomes: packRows(OUTCOME, outcomeRows(ends.map(endedRun))),
  };
}

/**
 * Ends attempts in one transaction: their outcome, the next attempts, the callbacks and alerts to send.
 *
 * @returns the ids that were still this node's to end; for all others nothing was changed
 */
export async function settleJobs(
  db: Database,
  nodeId: string,
  settlements: readonly JobSettlement[],
): Promise<Set<string>> {
  const isQuiet = settlements.every(({ alert, job }) => alert === null && job.unreadable === null);
  if (db.dialect.isShared && isQuiet) return settleAtOnce(db, nodeId, settlements);
  const input = packSettlements(nodeId, settlements);
  if (isQuiet) return new Set(await db.perform(settleProcedure, input));
  return db.transact(async (trx) => {
    const ours = new Set(await settleProcedure.run(trx, db.dialect, input));
    const kept = settlements.filter(({ job }) => ours.has(job.id));
    await raiseJobAlerts(trx, db.dialect, kept.flatMap(alertOf));
    await uncountRuns(trx, db.dialect, unsentRuns(kept.map(({ job }) => job)));
    return ours;
  });
}

type EndedJob = ReturnType<typeof endedRow<JobSettlement['status']>>;

function endedRun({ team_id, status, completed_at }: EndedJob) {
  return { teamId: team_id, outcome: outcomeOf(status), completedAt: completed_at };
}

function alertOf({ job, end, alert }: JobSettlement) {
  if (alert === null) return [];
  const { teamId, id, queueId, attemptNumber } = job;
  return [{ level: alert, teamId, queueId, jobId: id, attemptNumber, end }];
}
