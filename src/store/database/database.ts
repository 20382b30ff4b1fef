import type { CompiledQuery, Kysely, KyselyConfig, RawBuilder, Transaction } from 'kysely';
import type { Dialect } from './dialect.ts';
import { StoreError, type StoreErrorCode } from './errors.ts';
import { refuseNesting, runInside } from './nesting.ts';
import { bindPrepared, type PreparedStatement, runsStatements } from './prepared.ts';
import type { Semaphore } from './semaphore.ts';
import type { StatementRunner, TransactionScript, ScriptByDialect } from './transaction-script.ts';
import type { Tables } from '../tables/tables.ts';

/** It cannot open transactions; writing through it is a defect. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'executeQuery' | 'with' | 'getExecutor'> &
  StatementRunner;
export type Trx = Transaction<Tables> & StatementRunner;

/** Parameters may hold payloads: never log them. */
export interface RanStatement {
  sql: string;
  parameters: readonly unknown[];
  durationMs: number;
}
export type CallScript = (name: string, input: unknown) => Promise<unknown>;
export type OnStatement = (statement: RanStatement) => void;

export function logStatements(onStatement?: OnStatement): Pick<KyselyConfig, 'log'> {
  if (!onStatement) return {};
  return {
    log: ({ query: { sql, parameters }, queryDurationMillis }) =>
      onStatement({ sql, parameters, durationMs: queryDurationMillis }),
  };
}

interface DatabaseParts {
  dialect: Dialect;
  writer: Kysely<Tables>;
  /** May be the same as `writer`. */
  reader: Kysely<Tables>;
  release: () => Promise<void>;
  /** Undefined if statements are sent one by one. */
  call?: CallScript;
  semaphore?: Semaphore;
}

/**
 * A second connection inside a transaction is refused: on SQLite it would wait for itself, on Postgres it would be
 * outside the transaction.
 */
export class Database {
  readonly dialect: Dialect;
  readonly #parts: DatabaseParts;
  readonly #writer: Kysely<Tables> & StatementRunner;
  readonly #reader: Reader;
  #closed: Promise<void> | null = null;
  #onFault: (code: StoreErrorCode) => void = () => {};

  constructor(parts: DatabaseParts) {
    this.dialect = parts.dialect;
    this.#parts = parts;
    this.#writer = runsStatements(parts.writer, parts.dialect);
    this.#reader = runsStatements(parts.reader, parts.dialect);
  }

  /** One listener, for metrics. */
  watchFaults(onFault: (code: StoreErrorCode) => void): void {
    this.#onFault = onFault;
  }

  /** On a connection that writers don't block. */
  async read<T>(work: (db: Reader) => Promise<T>): Promise<T>;
  async read<Row>(
    statement: PreparedStatement<Row>,
    parameters: readonly unknown[],
  ): Promise<Row[]>;
  async read<Row>(query: RawBuilder<Row>): Promise<Row[]>;
  async read<T>(
    what: ((db: Reader) => Promise<T>) | PreparedStatement<T> | RawBuilder<T>,
    parameters: readonly unknown[] = [],
  ): Promise<T | T[]> {
    refuseNesting();
    const { semaphore } = this.#parts;
    const work = async () => {
      if (typeof what === 'function') return what(this.#reader);
      if ('execute' in what) return (await what.execute(this.#reader)).rows;
      return this.#reader.rows(what, parameters);
    };
    const run = () => runInside('read', work);
    return this.#watched(() => semaphore?.hold(run) ?? run());
  }

  /** Repeats `work` after a conflict (serialization, deadlock), so its only effect may be on rows. */
  async transact<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    refuseNesting();
    return this.#watched(() =>
      againAfterLostRaces(() =>
        this.#writer
          .transaction()
          .execute((trx) =>
            runInside('transaction', () => work(runsStatements(trx, this.dialect))),
          ),
      ),
    );
  }

  /** Repeats the script after a conflict. */
  async perform<Input, Output>(
    what: TransactionScript<Input, Output> | ScriptByDialect<Input, Output>,
    input: Input,
  ): Promise<Output> {
    const { call } = this.#parts;
    const script = 'run' in what ? what : what[this.dialect.name];
    const run = (runner: StatementRunner) => script.run(runner, input);
    if (!call && !script.isOneStatement) return this.transact(run);
    refuseNesting();
    if (!call) return this.#watched(() => againAfterLostRaces(() => run(this.#writer)));
    return this.#watched(async () => (await call(script.name, input)) as Output);
  }

  /** Saves the round trips of begin and commit. Repeats the statement after a conflict. */
  async autocommit<R>(query: CompiledQuery<R>): Promise<R[]> {
    refuseNesting();
    const run = () => this.#writer.executeQuery(query);
    const { rows } = await this.#watched(() => againAfterLostRaces(run));
    return rows;
  }

  async rows<Row>(
    statement: PreparedStatement<Row>,
    parameters: readonly unknown[],
  ): Promise<Row[]> {
    return this.autocommit(bindPrepared(this.dialect, statement, parameters));
  }

  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) this.#onFault(error.code);
      throw error;
    }
  }

  /** For migrations only. */
  get kysely(): Kysely<Tables> {
    return this.#writer;
  }

  async close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const { reader, release } = this.#parts;
    if (reader !== this.#writer) await reader.destroy();
    await this.#writer.destroy();
    await release();
  }
}

const MAX_ATTEMPTS = 5;

async function againAfterLostRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const lostRace = error instanceof StoreError && error.code === 'STORE_CONFLICT';
      if (!lostRace || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
