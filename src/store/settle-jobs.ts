import type { ClaimedJob } from './claims.ts';
import { copyJobs } from './copy-jobs.ts';
import { settleAtOnce } from './settle-jobs-at-once.ts';
import type { Database, Trx } from './database.ts';
import {
  bytesOf,
  type DialectName,
  type Fields,
  packRows,
  unindexed,
  unpackRows,
} from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';
import { countOutcomes, outcomeOf } from './outcomes.ts';
import { raiseJobAlerts } from './job-alerts.ts';
import { uncountRun } from './usage.ts';
import { insertCallbacks } from './callbacks.ts';
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
  from ${unpackRows(dialect, ENDED, 1)}
  where jobs.team_id = given.team_id and jobs.id = given.id
    and ${unindexed(dialect, 'jobs.status')} = 'processing'
    and jobs.claimed_by = ${dialect === 'postgres' ? '$2' : '?2'}
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
  select team_id, run_id, total_bytes, trace, ${bytesOf(dialect, 'body')}
  from ${unpackRows(dialect, RESPONSE, 1)}`,
);

export async function insertResponses(
  trx: Trx,
  dialect: DialectName,
  responses: readonly { teamId: string; runId: string; response: StoredResponse | null }[],
): Promise<void> {
  const rows = responses.flatMap(({ teamId, runId, response }) =>
    response === null
      ? []
      : [
          {
            team_id: teamId,
            run_id: runId,
            total_bytes: response.totalBytes,
            trace: response.trace,
            body: response.body,
          },
        ],
  );
  if (rows.length > 0) await runHot(trx, dialect, insertResponseRows, [packRows(RESPONSE, rows)]);
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
  const isQuiet = settlements.every(({ alert }) => alert === null);
  if (db.dialect === 'postgres' && isQuiet) return settleAtOnce(db, nodeId, settlements);
  return db.transact(async (trx) => {
    const { dialect } = db;
    const ended = await runHot(trx, dialect, endJobs, [
      packRows(ENDED, settlements.map(endedRow)),
      nodeId,
    ]);
    const ours = new Set(ended.map(({ id }) => id));
    const kept = settlements.filter(({ job }) => ours.has(job.id));
    await insertResponses(
      trx,
      dialect,
      kept.map(({ job, response }) => ({ teamId: job.teamId, runId: job.id, response })),
    );
    await insertNext(trx, dialect, kept);
    await insertCallbacks(
      trx,
      dialect,
      kept.flatMap(({ callback }) => callback ?? []),
    );
    await raiseJobAlerts(trx, dialect, kept.flatMap(alertOf));
    await countOutcomes(trx, dialect, kept.map(endedRun));
    return ours;
  });
}

function endedRun({ job, status, end }: JobSettlement) {
  return { teamId: job.teamId, outcome: outcomeOf(status), completedAt: end.completedAt };
}

function alertOf({ job, end, alert }: JobSettlement) {
  if (alert === null) return [];
  const { teamId, id, queueId, attemptNumber } = job;
  return [{ level: alert, teamId, queueId, jobId: id, attemptNumber, end }];
}

async function insertNext(
  trx: Trx,
  dialect: DialectName,
  settlements: readonly JobSettlement[],
): Promise<void> {
  await copyJobs(trx, dialect, copiesOf(settlements));
}

const RELEASED = { team_id: 'id', id: 'id' } as const satisfies Fields;

const releaseClaimed = hotStatement<{ id: string }>(
  'release-jobs',
  (dialect) => `
  update jobs set status = 'pending', claimed_by = null, started_at = null
  from ${unpackRows(dialect, RELEASED, 1)}
  where jobs.team_id = given.team_id and jobs.id = given.id
    and ${unindexed(dialect, 'jobs.status')} = 'processing'
    and jobs.claimed_by = ${dialect === 'postgres' ? '$2' : '?2'}
  returning jobs.id`,
);

/** Puts back jobs that were picked up but never started (D27), and takes back their count. */
export async function releaseJobs(
  db: Database,
  nodeId: string,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  const rows = jobs.map(({ teamId, id }) => ({ team_id: teamId, id }));
  await db.transact(async (trx) => {
    const parameters = [packRows(RELEASED, rows), nodeId];
    const released = await runHot(trx, db.dialect, releaseClaimed, parameters);
    const ours = new Set(released.map(({ id }) => id));
    for (const job of jobs.filter(({ id }) => ours.has(id))) {
      await uncountRun(trx, db.dialect, job.teamId, job.startedAt);
    }
  });
}
