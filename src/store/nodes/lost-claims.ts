import { returnCallbacks } from '../callbacks/callbacks.ts';
import { CLAIMED_BY_COLUMNS, type ClaimedRow, findClaimedRuns } from '../runs/claimed-runs.ts';
import type { Trx } from '../database/database.ts';
import { IDS, packIds, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { KEY, ofEachTable, type RunTable, TABLE_OF } from '../runs/run-tables.ts';
import { uncountRuns } from '../figures/usage.ts';

export interface LostClaim {
  id: string;
  teamId: string;
  kind: 'job' | 'execution' | 'callback';
  /** Null unless it is a job. */
  queueId: string | null;
  /** 0 unless it is a job. */
  dueAt: number;
}

/** Where to search for jobs whose claim's answer was lost. */
export interface Doubt {
  queueIds: readonly string[];
  since: number;
}

/**
 * Puts back claims that were stored but whose answer was lost. They were never started (§3.6), so they aren't counted.
 *
 * The transaction must have locked or deleted the node's row, and the node must not be claiming.
 * @param known running runs and callbacks
 * @param doubt null searches everywhere, which with an old snapshot reads entries of all jobs since
 */
export async function releaseLostClaims(
  trx: Trx,
  nodeId: string,
  known: ReadonlySet<string>,
  doubt: Doubt | null,
): Promise<LostClaim[]> {
  const callbacks = await returnCallbacks(trx, nodeId, known);
  const lostClaims = callbacks.map(({ id, team_id }): LostClaim => {
    return { kind: 'callback', id, teamId: team_id, queueId: null, dueAt: 0 };
  });
  for (const kind of ['job', 'execution'] as const) {
    const table = TABLE_OF[kind];
    const claimed =
      kind === 'job' && doubt !== null
        ? await trx.rows(findDoubtfulJobs, [packIds(doubt.queueIds), nodeId, doubt.since])
        : await findClaimedRuns(trx, table, nodeId);
    const released = await releaseRuns(trx, table, nodeId, known, claimed);
    lostClaims.push(
      ...released.map(({ id, team_id, owner_id, due_at }) => {
        const queueId = kind === 'job' ? owner_id : null;
        return { kind, id, teamId: team_id, queueId, dueAt: due_at };
      }),
    );
  }
  return lostClaims;
}

const putBack = ofEachTable((table) =>
  preparedStatement<{ id: string }>(
    `put-back-${table}`,
    (dialect) => `
    update ${table} set status = 'pending', claimed_by = null, started_at = null
    from ${dialect.rows(KEY, 1)}
    where ${dialect.hasKeyOf(table, 'given')}
      and claimed_by = ${dialect.$(2)}
    returning ${table}.id`,
  ),
);

const findDoubtfulJobs = preparedStatement<ClaimedRow>('find-doubtful-jobs', (dialect) => {
  const [node, since] = [dialect.$(2), dialect.$(3)];
  return `
  select ${CLAIMED_BY_COLUMNS.jobs}
  from ${dialect.rows(IDS, 1)} cross join jobs j
  where j.queue_id = given.id and j.status = 'processing' and j.started_at >= ${since}
    and j.claimed_by = ${node}`;
});

async function releaseRuns(
  trx: Trx,
  table: RunTable,
  nodeId: string,
  known: ReadonlySet<string>,
  claimed: readonly ClaimedRow[],
): Promise<ClaimedRow[]> {
  const lostClaims = claimed.filter(({ id }) => !known.has(id));
  if (lostClaims.length === 0) return [];
  const changed = await trx.rows(putBack[table], [packRows(KEY, lostClaims), nodeId]);
  const ids = new Set(changed.map(({ id }) => id));
  const released = lostClaims.filter(({ id }) => ids.has(id));
  const uncounted = released.map(({ team_id, started_at }) => {
    return { teamId: team_id, countedAt: started_at };
  });
  await uncountRuns(trx, uncounted);
  return released;
}
