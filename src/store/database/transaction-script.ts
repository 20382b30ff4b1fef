import type { DialectName } from './dialect.ts';
import type { Runner } from './runner.ts';

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
  run(runner: Runner, input: Input): Promise<Output>;
}

export type ScriptByDialect<Input, Output> = Readonly<
  Record<DialectName, TransactionScript<Input, Output>>
>;
