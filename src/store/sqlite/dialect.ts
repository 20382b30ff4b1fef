import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { storableParameters } from '../database/storable-text.ts';
import { refuseSecondConnection } from '../database/nesting.ts';
import { threadsClockMs } from './protocol.ts';
import type { SqliteThread } from './thread.ts';

/**
 * One caller after the other, because a connection holds one transaction.
 *
 * @param thread always gives the same one; called with the first statement
 */
export function sqliteOnThread(thread: () => SqliteThread): Dialect {
  return {
    createDriver: () => new ThreadDriver(thread),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalDdlAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** SQLite can roll back schema changes. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** `Mutex` serializes the callers. Kysely's own queue would come before the check for nested transactions. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** First come, first served. */
class Mutex {
  #last: Promise<void> = Promise.resolve();

  async lock(): Promise<() => void> {
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = mine.promise;
    await before;
    return mine.resolve;
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly thread: SqliteThread;
  readonly unlock: () => void;
  readonly #askedAtMs: number;
  /** The transaction begins with its first statement. */
  isToBegin = false;

  constructor(thread: SqliteThread, unlock: () => void, askedAtMs: number) {
    this.thread = thread;
    this.unlock = unlock;
    this.#askedAtMs = askedAtMs;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const begins = this.isToBegin;
    this.isToBegin = false;
    const values = storableParameters(parameters);
    const askedAtMs = this.#askedAtMs;
    const { rows, changes } = await this.thread.run(sql, values, { begins, askedAtMs });
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, never streamed');
  }
}

class ThreadDriver implements Driver {
  readonly #thread: () => SqliteThread;
  readonly #mutex = new Mutex();

  constructor(thread: () => SqliteThread) {
    this.#thread = thread;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    refuseSecondConnection();
    const askedAtMs = threadsClockMs();
    return new ThreadConnection(this.#thread(), await this.#mutex.lock(), askedAtMs);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as ThreadConnection).isToBegin = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#end(connection as ThreadConnection, 'commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#end(connection as ThreadConnection, 'rollback');
  }

  async #end(connection: ThreadConnection, how: 'commit' | 'rollback'): Promise<void> {
    if (connection.isToBegin) connection.isToBegin = false;
    else await this.#thread().run(how, []);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as ThreadConnection).unlock();
  }

  /** Kysely doesn't call this if no statement was run. */
  async destroy(): Promise<void> {}
}
