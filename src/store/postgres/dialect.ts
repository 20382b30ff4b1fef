import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { storableParameters } from '../database/storable-text.ts';
import { StoreError, wasLockedOut, wasTooLong } from '../database/errors.ts';
import { refuseSecondConnection } from '../database/nesting.ts';

/**
 * Kysely's own driver has no prepared statements. Here a statement that starts with its name in a comment (see
 * `prepared.ts`) is parsed and planned once per connection.
 *
 * @param answerMs after this long without an answer a connection is given up; a little longer than the server's own
 * limit, so the server reports first. 0 waits forever.
 */
export function pooledPostgres(pool: Pool, answerMs: number): Dialect {
  return {
    createDriver: () => new PoolDriver(pool, answerMs),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  };
}

const STATEMENT_NAME = /^\/\* ([\w-]+) \*\//;

const NO_ANSWER = 'Query read timeout';

const PROBE_MS = 2_000;

class PoolConnection implements DatabaseConnection {
  readonly client: PoolClient;
  /** The connection may be broken; it is closed and not reused. */
  fault: StoreError | null = null;
  readonly #texts = new Map<string, string>();
  readonly #answerMs: number;
  readonly #onSilence: () => void;

  constructor(client: PoolClient, answerMs: number, onSilence: () => void) {
    this.client = client;
    this.#answerMs = answerMs;
    this.#onSilence = onSilence;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const name = this.#nameOf(sql);
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

  /** A text whose name is taken isn't prepared. */
  #nameOf(sql: string): string | undefined {
    const name = STATEMENT_NAME.exec(sql)?.[1];
    if (name === undefined) return undefined;
    const known = this.#texts.get(name);
    if (known === undefined) this.#texts.set(name, sql);
    return known === undefined || known === sql ? name : undefined;
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, never streamed');
  }
}

/** By its time limit or lock limit. The connection is sound. */
function wasCancelled(fault: StoreError): boolean {
  return wasTooLong(fault) || wasLockedOut(fault);
}

/**
 * After a missing answer, idle connections may be dead, so each is probed before its next use. When one fails, others
 * idle for as long are closed.
 */
class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #answerMs: number;
  /** In all, and up to each connection's last answer. */
  #silences = 0;
  readonly #silencesAtLastAnswer = new WeakMap<PoolClient, number>();
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
    const before = this.#silencesAtLastAnswer.get(client) ?? this.#silences;
    if (before === this.#silences) return true;
    if (before < this.#deadBefore) return false;
    const silences = this.#silences;
    try {
      const probe = { text: 'select 1', query_timeout: PROBE_MS };
      await client.query(probe);
      this.#silencesAtLastAnswer.set(client, silences);
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
    // The server has rolled back a dead connection; a rollback would hide the first error.
    if ((connection as PoolConnection).fault) return;
    await say(connection, 'rollback');
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { client, fault } = connection as PoolConnection;
    this.#silencesAtLastAnswer.set(client, this.#silences);
    client.release(fault ?? undefined);
  }

  /** Kysely doesn't call this if no statement was run. */
  async destroy(): Promise<void> {}
}

async function say(connection: DatabaseConnection, text: string): Promise<void> {
  await (connection as PoolConnection).executeQuery({ sql: text, parameters: [] } as never);
}
