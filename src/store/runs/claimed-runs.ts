import { preparedStatement } from '../database/prepared.ts';
import type { Runner } from '../database/runner.ts';
import { ofEachTable, RUNNING, type RunTable } from './run-tables.ts';

export interface ClaimedRow {
  team_id: string;
  id: string;
  owner_id: string;
  /** Null for an execution. */
  attempt_number: number | null;
  /** 0 for an execution. */
  due_at: number;
  started_at: number;
}

export const CLAIMED_BY_COLUMNS = {
  jobs: 'j.team_id, j.id, j.queue_id as owner_id, j.attempt_number, j.scheduled_at as due_at, j.started_at',
  executions:
    'j.team_id, j.id, j.cron_id as owner_id, null as attempt_number, 0 as due_at, j.started_at',
} as const;

/** A literal: with a parameter, the partial index could not be used. */
const findClaimed = ofEachTable((table) =>
  preparedStatement<ClaimedRow>(
    `find-claimed-${table}`,
    (dialect) => `
    select ${CLAIMED_BY_COLUMNS[table]} from ${table} j
    where j.status = '${RUNNING[table]}' and j.claimed_by = ${dialect.$(1)}`,
  ),
);

const findOneClaimed = ofEachTable((table) =>
  preparedStatement<ClaimedRow>(
    `find-claimed-of-${table}`,
    (dialect) => `
    select ${CLAIMED_BY_COLUMNS[table]} from ${table} j
    where j.team_id = ${dialect.$(2)} and j.id = ${dialect.$(3)}
      and ${dialect.withoutIndex('j.status')} = '${RUNNING[table]}' and j.claimed_by = ${dialect.$(1)}`,
  ),
);

export async function findClaimedRuns(
  runner: Runner,
  table: RunTable,
  nodeId: string,
  run?: { teamId: string; id: string },
): Promise<ClaimedRow[]> {
  return run === undefined
    ? runner.rows(findClaimed[table], [nodeId])
    : runner.rows(findOneClaimed[table], [nodeId, run.teamId, run.id]);
}
