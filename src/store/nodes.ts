import { sql } from 'kysely';
import { cronCallbackBody } from '#domain/callback';
import { newId } from '#domain/ids';
import { type CallbackToSend, insertCallbacks } from './callbacks.ts';
import { followCrons } from './cron-alerts.ts';
import type { Database, Trx } from './database.ts';
import type { DialectName } from './dialect.ts';
import { bindHot, hotStatement } from './hot.ts';
import { raiseJobAlerts } from './job-alerts.ts';
import { releaseStrays, type Stray } from './strays.ts';
import { countOutcomes, failedRuns } from './outcomes.ts';
import type { ExecutionsTable } from './schema.ts';

/** What the work of a dead node came to (D27). */
export interface Recovered {
  nodeIds: string[];
  deadLettered: number;
  failedExecutions: number;
}

/**
 * The processes that send requests, each under a lease that it renews. One whose lease ran out is
 * declared dead once, by whoever notices first.
 */
export class NodeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Registers this process under a new id, which no earlier process ever had. */
  async join(now: number, leaseMs: number): Promise<string> {
    const id = newId(now);
    await this.#db.transact((trx) =>
      trx
        .insertInto('nodes')
        .values({ id, started_at: now, lease_until: now + leaseMs })
        .execute(),
    );
    return id;
  }

  /** Renews a lease; false where the node has been declared dead, or its lease ran out before. */
  async renew(nodeId: string, now: number, leaseMs: number): Promise<boolean> {
    // One statement: a process frozen inside a transaction would hold its row, and nobody could declare it dead.
    const query = bindHot(this.#db.dialect, renewLease, [nodeId, now, now + leaseMs]);
    return (await this.#db.runAlone(query)).length === 1;
  }

  /** Puts back what is claimed in a node's name without its knowing (see `releaseStrays`). */
  async releaseStrays(nodeId: string, known: ReadonlySet<string>): Promise<Stray[]> {
    return releaseStrays(this.#db, nodeId, known);
  }

  /** Signs off. What is still running under this node is settled as a dead one's, in the same transaction. */
  async retire(nodeId: string, now: number): Promise<Omit<Recovered, 'nodeIds'>> {
    return this.#db.transact(async (trx) => {
      await trx.deleteFrom('nodes').where('id', '=', nodeId).execute();
      return settleAbandoned(trx, this.#db.dialect, [nodeId], now);
    });
  }

  /**
   * Settles what dead nodes were running, in one transaction: their jobs are dead-lettered without a
   * callback, their executions fail (D27). Both raise alerts as any other end does.
   *
   * @param others  true where no other process can be alive (SQLite): then every lease but `nodeId`'s is over
   */
  async recoverDead(nodeId: string, now: number, others: 'lease-over' | 'all'): Promise<Recovered> {
    return this.#db.transact(async (trx) => {
      const dead = await trx
        .deleteFrom('nodes')
        .where('id', '<>', nodeId)
        .$if(others === 'lease-over', (query) => query.where('lease_until', '<=', now))
        .returning('id')
        .execute();
      const nodeIds = dead.map(({ id }) => id);
      if (nodeIds.length === 0) return { nodeIds, deadLettered: 0, failedExecutions: 0 };
      return { nodeIds, ...(await settleAbandoned(trx, this.#db.dialect, nodeIds, now)) };
    });
  }
}

const renewLease = hotStatement<{ id: string }>('renew-lease', (dialect) => {
  const [node, now, until] = dialect === 'postgres' ? ['$1', '$2', '$3'] : ['?1', '?2', '?3'];
  return `update nodes set lease_until = ${until} where id = ${node} and lease_until > ${now} returning id`;
});

const WORKER_FAILED = {
  claimed_by: null,
  reason: 'worker_failed',
  error_message: 'The worker stopped while the request was running.',
} as const;

/** From its start until it was found dead; never negative, and bounded by the column's width, whatever the clocks did. */
function elapsed(now: number) {
  return sql<number>`case when started_at < ${now} and ${now} - started_at < 2147483647
    then ${now} - started_at else 0 end`;
}

async function settleAbandoned(trx: Trx, dialect: DialectName, nodeIds: string[], now: number) {
  return {
    deadLettered: await deadLetterJobs(trx, dialect, nodeIds, now),
    failedExecutions: await failExecutions(trx, dialect, nodeIds, now),
  };
}

function endOfAbandoned(completedAt: number) {
  const { reason, error_message } = WORKER_FAILED;
  return { completedAt, responseStatus: null, reason, errorMessage: error_message };
}

/** The state stands in the text and not among the values: only then does a partial index serve. */
async function deadLetterJobs(
  trx: Trx,
  dialect: DialectName,
  nodeIds: string[],
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
      end: endOfAbandoned(now),
    }));
  await raiseJobAlerts(trx, dialect, alerts);
  await countOutcomes(trx, dialect, failedRuns(jobs, now));
  return jobs.length;
}

async function failExecutions(
  trx: Trx,
  dialect: DialectName,
  nodeIds: string[],
  now: number,
): Promise<number> {
  const executions = await trx
    .updateTable('executions')
    .set({ ...WORKER_FAILED, status: 'failed', completed_at: now, duration_ms: elapsed(now) })
    .where('status', '=', sql.lit('running'))
    .where('claimed_by', 'in', nodeIds)
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
      end: endOfAbandoned(now),
    }));
  await followCrons(trx, dialect, runs);
  await countOutcomes(trx, dialect, failedRuns(executions, now));
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
    const { reason: failureReason, ...end } = endOfAbandoned(now);
    const durationMs = duration_ms ?? 0;
    const ending = { ...end, failureReason, durationMs, cronId: cron_id, executionId: id };
    const body = cronCallbackBody({ ...ending, status: 'failed' });
    const callback = { id: newId(now), runId: id, url: cron.callback_url, body, createdAt: now };
    return [{ teamId: cron.team_id, ...callback }];
  });
}
