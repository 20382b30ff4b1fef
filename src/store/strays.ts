import { sql } from 'kysely';
import type { Database, Trx } from './database.ts';
import { uncountRun } from './usage.ts';

/** A run that is claimed in a node's name without the node knowing of it. */
export interface Stray {
  id: string;
  teamId: string;
  /** Null for an execution. */
  queueId: string | null;
}

/**
 * Puts back runs that were claimed in a node's name and that it does not know of: the database took the claim,
 * and its answer was lost on the way. They were picked up and never started (D27), so they wait again, and are
 * taken out of the month's count.
 *
 * The node must not be claiming meanwhile.
 *
 * @param known  ids of the runs that the node has under way
 */
export async function releaseStrays(
  db: Database,
  nodeId: string,
  known: ReadonlySet<string>,
): Promise<Stray[]> {
  return db.transact(async (trx) => {
    const strays = [...(await strayJobs(trx, nodeId)), ...(await strayExecutions(trx, nodeId))];
    const released = strays.filter(({ id }) => !known.has(id));
    for (const { id, teamId, queueId, startedAt } of released) {
      const waiting = { status: 'pending', claimed_by: null, started_at: null } as const;
      const table = queueId === null ? 'executions' : 'jobs';
      await trx
        .updateTable(table)
        .set(waiting)
        .where('team_id', '=', teamId)
        .where('id', '=', id)
        .where('claimed_by', '=', nodeId)
        .execute();
      await uncountRun(trx, db.dialect, teamId, startedAt);
    }
    return released.map(({ id, teamId, queueId }) => ({ id, teamId, queueId }));
  });
}

type Found = Stray & { startedAt: number };

/** The state stands in the text and not among the values: only then does a partial index serve. */
async function strayJobs(trx: Trx, nodeId: string): Promise<Found[]> {
  const rows = await trx
    .selectFrom('jobs')
    .select(['team_id', 'id', 'queue_id', 'started_at'])
    .where('status', '=', sql.lit('processing'))
    .where('claimed_by', '=', nodeId)
    .execute();
  return rows.map(({ team_id, id, queue_id, started_at }) => ({
    id,
    teamId: team_id,
    queueId: queue_id,
    startedAt: started_at ?? 0,
  }));
}

async function strayExecutions(trx: Trx, nodeId: string): Promise<Found[]> {
  const rows = await trx
    .selectFrom('executions')
    .select(['team_id', 'id', 'started_at'])
    .where('status', '=', sql.lit('running'))
    .where('claimed_by', '=', nodeId)
    .execute();
  return rows.map(({ team_id, id, started_at }) => ({
    id,
    teamId: team_id,
    queueId: null,
    startedAt: started_at ?? 0,
  }));
}
