import type { Dialect } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { Runner } from '../database/runner.ts';

/**
 * For a `where exists (…)` or a list. Locks the node's row on Postgres: a declaration of death waits until this claim
 * is visible, and a later claim finds no row. Renewals don't wait.
 */
export function livingNode(dialect: Dialect, parameter: string): string {
  return `select id from nodes where id = ${parameter} ${dialect.lock('for key share')}`;
}

const lockLivingNode = preparedStatement<{ id: string }>('lock-node', (dialect) =>
  livingNode(dialect, dialect.$(1)),
);

/** False if it was declared dead (§3.6). */
export async function lockNode(runner: Runner, nodeId: string): Promise<boolean> {
  return (await runner.rows(lockLivingNode, [nodeId])).length === 1;
}
