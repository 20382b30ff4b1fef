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
 * Kysely on a pool of node-postgres.
 *
 * Kysely's own driver has no prepared statements. Here a statement that starts with its name in a comment (see
 * `prepared.ts`) is parsed and planned once per connection.
 *
 * @param answerMs  after this long without an answer a connection is given up; a little longer than the server's own
 * limit, so that the server reports first. 0 waits forever.
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

/** The message of node-postgres for an answer that did not come in time. */
const NO_ANSWER = 'Query read timeout';

/** How long a connection may take to prove that it is alive. */
const PROBE_MS = 2_000;

class PoolConnection implements DatabaseConnection {
  readonly client: PoolClient;
  /** Set once the connection may be broken; it is then closed and not returned to the pool. */
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

  /** The name to prepare a statement under. A text whose name another text has taken is not prepared. */
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

/**
 * Whether the server cancelled a statement at its time limit, or its wait for a lock. The connection is still sound.
 */
function wasCancelled(fault: StoreError): boolean {
  return wasTooLong(fault) || wasLockedOut(fault);
}

/**
 * Gives out connections that are alive. After a connection has given no answer in time, the idle ones may be dead too,
 * or the server was only slow. So each of those is probed before its next use. When one fails, others that were idle
 * for as long are closed without a probe.
 */
class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #answerMs: number;
  /** How many answers were missing, in all and up to the time of each connection's last answer. */
  #silences = 0;
  readonly #silencesWhenHeard = new WeakMap<PoolClient, number>();
  /** Connections whose last answer was before this number of silences are dead. */
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
    // The server has rolled back a dead connection already; a rollback here would fail and hide the first error.
    if ((connection as PoolConnection).fault) return;
    await say(connection, 'rollback');
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { client, fault } = connection as PoolConnection;
    this.#silencesWhenHeard.set(client, this.#silences);
    client.release(fault ?? undefined);
  }

  /** The maker of the pool ends it: Kysely does not call this if no statement was ever run. */
  async destroy(): Promise<void> {}
}

async function say(connection: DatabaseConnection, text: string): Promise<void> {
  await (connection as PoolConnection).executeQuery({ sql: text, parameters: [] } as never);
}
