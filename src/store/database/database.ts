import { type Connection, type Connections, inTransaction } from './connections.ts';
import type { Dialect } from './dialect.ts';
import { StoreError, type StoreErrorCode } from './errors.ts';
import { refuseNesting, runInside } from './nesting.ts';
import type { PreparedStatement } from './prepared.ts';
import { type OnStatement, type Reader, type Run, Runner } from './runner.ts';
import type { Semaphore } from './semaphore.ts';
import type { Sql } from './sql.ts';
import type { TransactionScript, ScriptByDialect } from './transaction-script.ts';

export type { Reader };
/** In a transaction. */
export type Trx = Runner;

export type CallScript = (name: string, input: unknown) => Promise<unknown>;

interface DatabaseParts {
  dialect: Dialect;
  writer: Connections;
  /** May be the same as `writer`. */
  reader: Connections;
  release: () => Promise<void>;
  onStatement: OnStatement | undefined;
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
  /** Each statement by itself. */
  readonly #writer: Runner;
  readonly #reader: Reader;
  #closed: Promise<void> | null = null;
  #onFault: (code: StoreErrorCode) => void = () => {};

  constructor(parts: DatabaseParts) {
    this.dialect = parts.dialect;
    this.#parts = parts;
    const alone =
      (connections: Connections): Run =>
      (text, parameters) =>
        this.hold((connection) => connection.run(text, parameters), connections);
    this.#writer = this.#runner(alone(parts.writer));
    this.#reader = this.#runner(alone(parts.reader));
  }

  #runner(run: Run): Runner {
    return new Runner(this.dialect, run, this.#parts.onStatement);
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
  async read<T>(
    what: ((db: Reader) => Promise<T>) | PreparedStatement<T>,
    parameters: readonly unknown[] = [],
  ): Promise<T | T[]> {
    refuseNesting();
    const { semaphore } = this.#parts;
    const work = async () =>
      typeof what === 'function' ? what(this.#reader) : this.#reader.rows(what, parameters);
    const run = () => runInside('read', work);
    return this.#watched(() => semaphore?.hold(run) ?? run());
  }

  /** As `read`. */
  async ask<Row>(query: Sql<Row>): Promise<Row[]> {
    return this.read((reader) => reader.ask(query));
  }

  /** Repeats `work` after a conflict (serialization, deadlock), so its only effect may be on rows. */
  async transact<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    refuseNesting();
    return this.#watched(() =>
      againAfterLostRaces(() =>
        this.hold((connection) => {
          const trx = this.#runner((text, parameters) => connection.run(text, parameters));
          return inTransaction(connection, () => runInside('transaction', () => work(trx)));
        }),
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
    const run = (runner: Runner) => script.run(runner, input);
    if (!call && !script.isOneStatement) return this.transact(run);
    if (!call) return this.#alone(run);
    refuseNesting();
    return this.#watched(async () => (await call(script.name, input)) as Output);
  }

  /** Saves the round trips of begin and commit. Repeats the statement after a conflict. */
  async autocommit<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#alone((writer) => writer.run(text, parameters));
    return rows as Row[];
  }

  /** As `autocommit`. @returns the number of changed rows */
  async change(query: Sql): Promise<number> {
    return this.#alone((writer) => writer.change(query));
  }

  async #alone<T>(work: (writer: Runner) => Promise<T>): Promise<T> {
    refuseNesting();
    return this.#watched(() => againAfterLostRaces(() => work(this.#writer)));
  }

  async rows<Row>(
    statement: PreparedStatement<Row>,
    parameters: readonly unknown[],
  ): Promise<Row[]> {
    return this.autocommit(statement[this.dialect.name], parameters);
  }

  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) this.#onFault(error.code);
      throw error;
    }
  }

  /** For migrations; all else uses the methods above. */
  async hold<T>(
    work: (connection: Connection) => Promise<T>,
    connections = this.#parts.writer,
  ): Promise<T> {
    if (this.#closed) {
      const text = 'the database is closed';
      throw new StoreError('STORE_UNAVAILABLE', text, { wroteNothing: true });
    }
    return connections.hold(work);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#parts.release();
    return this.#closed;
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
