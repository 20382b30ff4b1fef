import type { CompiledQuery } from 'kysely';
import type { Dialect, DialectName } from './dialect.ts';

/** What a prepared statement runs on: a transaction, or the database's own thread. */
export interface StatementRunner {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>;
}

/**
 * A transaction as one function over plain data: it may ask its runner and compute, nothing else. So it can
 * be carried out where the database is. On SQLite that is another thread, and a transaction whose statements
 * come from here one by one would wait for this busy thread between any two of them.
 */
export interface TransactionScript<Input, Output> {
  /** Names it in `transaction-scripts.ts`. */
  readonly name: string;
  /** Then it is a transaction by itself, and is spared the round trips of begin and commit. */
  readonly isOneStatement?: true;
  /** `input` and the result are copied between threads: values that can be cloned. */
  run(runner: StatementRunner, dialect: Dialect, input: Input): Promise<Output>;
}

/** One transaction script, written for each of the databases. */
export type ScriptByDialect<Input, Output> = Readonly<
  Record<DialectName, TransactionScript<Input, Output>>
>;
