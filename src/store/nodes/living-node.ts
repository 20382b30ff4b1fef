import type { Dialect } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { StatementRunner } from '../database/transaction-script.ts';

/**
 * The condition that a node lives, for a `where exists (…)` or a list. On Postgres it locks the node's row until the
 * end of the transaction: a declaration of death waits until this claim is visible, and a claim after it finds no row.
 * Renewals do not wait.
 *
 * @param parameter  how the statement names the node's id: `$2`, `?1`
 */
export function livingNode(dialect: Dialect, parameter: string): string {
  return `select id from nodes where id = ${parameter} ${dialect.lock('for key share')}`;
}

const lockLivingNode = preparedStatement<{ id: string }>('lock-node', (dialect) =>
  livingNode(dialect, dialect.$(1)),
);

/** Locks a node's row until the end of the transaction. False where the node has been declared dead (§3.6). */
export async function lockNode(runner: StatementRunner, nodeId: string): Promise<boolean> {
  return (await runner.rows(lockLivingNode, [nodeId])).length === 1;
}
