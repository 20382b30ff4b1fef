import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { SchemaAdapter } from './adapter.ts';
import { storableParameters } from '../database/storable-text.ts';
import { StoreError, wasTooLong } from '../database/errors.ts';
import { refuseSecondConnection } from '../database/nesting.ts';

/**
 * Kysely on a pool of node-postgres.
 *
 * Kysely's own driver has no prepared statements; here a statement that starts with a name in a comment
 * (the prepared ones do, see `prepared.ts`) is parsed and planned once a connection.
 */
export class PooledPostgresDialect implements Dialect {
  readonly #pool: Pool;
  readonly #answerMs: number;

  /**
   * @param answerMs  after so long without an answer a connection is given up; a little longer than the server
   *   lets a statement run, which then says so itself. 0 waits for ever.
   */
  constructor(pool: Pool, answerMs: number) {
    this.#pool = pool;
    this.#answerMs = answerMs;
  }

  createDriver(): Driver {
    return new PoolDriver(this.#pool, this.#answerMs);
  }

  createQueryCompiler() {
    return new PostgresQueryCompiler();
  }

  createAdapter() {
    return new SchemaAdapter();
  }

  createIntrospector(db: Kysely<unknown>) {
    return new PostgresIntrospector(db);
  }
}

const STATEMENT_NAME = /^\/\* ([\w-]+) \*\//;

/** node-postgres' words for an answer that did not come in time. */
const NO_ANSWER = 'Query read timeout';

/** How long a connection may take to say that it is alive. */
const PROBE_MS = 2_000;

class PoolConnection implements DatabaseConnection {
  readonly client: PoolClient;
  /** Set once the connection is in doubt; it is then closed in place of going back to the pool. */
  fault: StoreError | null = null;
  readonly #answerMs: number;
  readonly #onSilence: () => void;

  constructor(client: PoolClient, answerMs: number, onSilence: () => void) {
    this.client = client;
    this.#answerMs = answerMs;
    this.#onSilence = onSilence;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const name = STATEMENT_NAME.exec(sql)?.[1];
    const values = storableParameters(parameters);
    const query = { text: sql, values, query_timeout: this.#answerMs };
    try {
      const { rows, rowCount } = await this.client.query(
        name === undefined ? query : { name, ...query },
      );
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      const fault = StoreError.fromPostgres(error);
      if (fault.code === 'STORE_UNAVAILABLE' && !wasCancelled(fault)) this.fault = fault;
      if (fault.message === NO_ANSWER) this.#onSilence();
      throw fault;
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, never streamed');
  }
}

/** The server ended a statement at its time limit, or its wait for a lock (55P03): the connection is sound. */
function wasCancelled(fault: StoreError): boolean {
  return wasTooLong(fault) || (fault.cause as { code?: string }).code === '55P03';
}

/**
 * Where a connection has given no answer in time, those that were idle then may be dead like it, or the server
 * was only slow. So each of them is asked for a sign of life before it is used; when one gives none, the others of
 * its age are closed unasked.
 */
class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #answerMs: number;
  /** How often an answer has stayed out, and how often it had when each connection was last heard of. */
  #silences = 0;
  readonly #silencesWhenHeard = new WeakMap<PoolClient, number>();
  /** Connections last heard of before this many silences are dead. */
  #deadBefore = 0;

  constructor(pool: Pool, answerMs: number) {
    this.#pool = pool;
    this.#answerMs = answerMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    refuseSecondConnection();
    try {
      for (;;) {
        const client = await this.#pool.connect();
        if (await this.#isAlive(client)) {
          return new PoolConnection(client, this.#answerMs, () => this.#silences++);
        }
        client.release(true);
      }
    } catch (error) {
      throw StoreError.fromConnecting(error);
    }
  }

  async #isAlive(client: PoolClient): Promise<boolean> {
    const heardAt = this.#silencesWhenHeard.get(client) ?? this.#silences;
    if (heardAt === this.#silences) return true;
    if (heardAt < this.#deadBefore) return false;
    const silences = this.#silences;
    try {
      const probe = { text: 'select 1', query_timeout: PROBE_MS };
      await client.query(probe);
      this.#silencesWhenHeard.set(client, silences);
      return true;
    } catch {
      this.#deadBefore = silences;
      return false;
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await say(connection, 'begin');
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await say(connection, 'commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A dead connection has rolled back already; saying so again would hide the first error.
    if ((connection as PoolConnection).fault) return;
    await say(connection, 'rollback');
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { client, fault } = connection as PoolConnection;
    this.#silencesWhenHeard.set(client, this.#silences);
    client.release(fault ?? undefined);
  }

  /** The pool is ended by whoever made it: Kysely does not call this where nothing was ever asked. */
  async destroy(): Promise<void> {}
}

async function say(connection: DatabaseConnection, text: string): Promise<void> {
  await (connection as PoolConnection).executeQuery({ sql: text, parameters: [] } as never);
}
