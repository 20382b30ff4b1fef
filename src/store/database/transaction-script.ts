import type { CompiledQuery } from 'kysely';
import type { Dialect, DialectName } from './dialect.ts';
import type { PreparedStatement } from './prepared.ts';

export interface QueryRunner {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>;
}

export interface StatementRunner extends QueryRunner {
  readonly dialect: Dialect;
  rows<Row>(statement: PreparedStatement<Row>, parameters: readonly unknown[]): Promise<Row[]>;
}

/**
 * Over plain data, so it can run on the database's thread. Statements from the main thread would wait for that thread
 * one by one.
 */
export interface TransactionScript<Input, Output> {
  /** In `transaction-scripts.ts`. */
  readonly name: string;
  /** It needs no begin and commit. */
  readonly isOneStatement?: true;
  /** `input` and the result are copied between threads, so they must be cloneable. */
  run(runner: StatementRunner, input: Input): Promise<Output>;
}

export type ScriptByDialect<Input, Output> = Readonly<
  Record<DialectName, TransactionScript<Input, Output>>
>;
