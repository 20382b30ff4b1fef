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
  sql as raw,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { storableParameters } from '../storable-text.ts';
import { StoreError } from '../errors.ts';
import { refuseSecondConnection } from '../nesting.ts';

/**
 * Kysely on a pool of node-postgres.
 *
 * Kysely's own driver has no prepared statements; here a statement that starts with a name in a comment
 * (the hot ones do, see `hot.ts`) is parsed and planned once a connection.
 */
export class PooledPostgresDialect implements Dialect {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  createDriver(): Driver {
    return new PoolDriver(this.#pool);
  }

  createQueryCompiler() {
    return new PostgresQueryCompiler();
  }

  createAdapter() {
    return new PatientAdapter();
  }

  createIntrospector(db: Kysely<unknown>) {
    return new PostgresIntrospector(db);
  }
}

/**
 * How long an answer is waited for. A connection whose other end is gone without a word (a cable, a firewall
 * that forgot it) is found by that alone; the sooner, the sooner a lease is renewed over another one. What
 * writes touches few rows and is quick; a search may read a lot.
 */
const ANSWER_WITHIN_MS = { write: 6_000, search: 60_000 };

function answerWithinMs(sql: string): number {
  return /^(select|with)/i.test(sql) ? ANSWER_WITHIN_MS.search : ANSWER_WITHIN_MS.write;
}

const STATEMENT_NAME = /^\/\* ([\w-]+) \*\//;

/** node-postgres' words for an answer that did not come in time. */
const NO_ANSWER = 'Query read timeout';

const PATIENCE = { begin: 'set statement_timeout = 0', end: "set statement_timeout = '55s'" };

/** Migrations take as long as they take, and so does waiting for another process that migrates. */
class PatientAdapter extends PostgresAdapter {
  override async acquireMigrationLock(...[db, options]: MigrationLock): Promise<void> {
    await raw.raw(PATIENCE.begin).execute(db);
    await super.acquireMigrationLock(db, options);
  }

  override async releaseMigrationLock(...[db, options]: MigrationLock): Promise<void> {
    await super.releaseMigrationLock(db, options);
    await raw.raw(PATIENCE.end).execute(db);
  }
}

type MigrationLock = Parameters<PostgresAdapter['acquireMigrationLock']>;

class PoolConnection implements DatabaseConnection {
  readonly client: PoolClient;
  /** Set once the connection is in doubt; it is then closed in place of going back to the pool. */
  fault: StoreError | null = null;
  readonly #onSilence: () => void;
  #isPatient = false;

  constructor(client: PoolClient, onSilence: () => void) {
    this.client = client;
    this.#onSilence = onSilence;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const name = STATEMENT_NAME.exec(sql)?.[1];
    const values = storableParameters(parameters);
    if (sql === PATIENCE.begin) this.#isPatient = true;
    if (sql === PATIENCE.end) this.#isPatient = false;
    const query_timeout = this.#isPatient ? 0 : answerWithinMs(sql);
    const query = { text: sql, values, query_timeout };
    try {
      const { rows, rowCount } = await this.client.query(
        name === undefined ? query : { name, ...query },
      );
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      const fault = StoreError.fromPostgres(error);
      if (fault.code === 'STORE_UNAVAILABLE') this.fault = fault;
      if (fault.message === NO_ANSWER) this.#onSilence();
      throw fault;
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, never streamed');
  }
}

/**
 * Where one connection has fallen silent, those that were idle at that moment may have died with it: they
 * are closed in place of being tried one after the other.
 */
class PoolDriver implements Driver {
  readonly #pool: Pool;
  /** How often a connection has fallen silent, and how often it had when each was last used well. */
  #silences = 0;
  readonly #silencesAtUse = new WeakMap<PoolClient, number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    refuseSecondConnection();
    try {
      for (;;) {
        const client = await this.#pool.connect();
        if ((this.#silencesAtUse.get(client) ?? this.#silences) === this.#silences) {
          return new PoolConnection(client, () => this.#silences++);
        }
        client.release(true);
      }
    } catch (error) {
      throw StoreError.fromPostgres(error);
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
    this.#silencesAtUse.set(client, this.#silences);
    client.release(fault ?? undefined);
  }

  /** The pool is ended by whoever made it: Kysely does not call this where nothing was ever asked. */
  async destroy(): Promise<void> {}
}

async function say(connection: DatabaseConnection, text: string): Promise<void> {
  await (connection as PoolConnection).executeQuery({ sql: text, parameters: [] } as never);
}
