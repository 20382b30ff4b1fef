import type { CompiledQuery } from 'kysely';
import type { DialectName } from './dialect.ts';

/** What a statement of the hot path runs on: a transaction, or the database's own thread. */
export interface HotRunner {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }>;
}

/**
 * A transaction as one function over plain data: it may ask its runner and compute, nothing else. So it can
 * be carried out where the database is. On SQLite that is another thread, and a transaction whose statements
 * come from here one by one would wait for this busy thread between any two of them.
 */
export interface Procedure<Input, Output> {
  /** Names it in `procedures.ts`. */
  readonly name: string;
  /** `input` and the result are copied between threads: values that can be cloned. */
  run(runner: HotRunner, dialect: DialectName, input: Input): Promise<Output>;
}
