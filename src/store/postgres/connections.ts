import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Connection, Connections } from '../database/connections.ts';
import type { Answer } from '../database/runner.ts';
import { StoreError, wasLockedOut, wasTooLong } from '../database/errors.ts';
import { refuseSecondConnection } from '../database/nesting.ts';

interface PoolState {
  answerMs: number;
  /** How often an answer was missing. */
  silences: number;
}

/**
 * After a missing answer, idle connections may be dead, so each is closed before its next use.
 *
 * @param answerMs after this long without an answer a connection is given up; a little longer than the server's own
 * limit, so the server reports first. 0 waits forever.
 */
export function connectionsOf(pool: Pool, answerMs: number): Connections {
  const state: PoolState = { answerMs, silences: 0 };
  const clients = new WeakMap<PoolClient, Client>();
  const connect = async () => {
    try {
      for (;;) {
        const pooled = await pool.connect();
        const client = clients.get(pooled) ?? new Client(pooled, state);
        clients.set(pooled, client);
        if (client.answeredAfter === state.silences) return client;
        pooled.release(true);
      }
    } catch (error) {
      throw StoreError.fromConnecting(error);
    }
  };
  return {
    async hold(work) {
      refuseSecondConnection();
      const client = await connect();
      try {
        return await work(client);
      } finally {
        client.release();
      }
    },
  };
}

const STATEMENT_NAME = /^\/\* ([\w-]+) \*\//;

const NO_ANSWER = 'Query read timeout';

class Client implements Connection {
  /** The silences of its pool up to its last answer. */
  answeredAfter: number;
  readonly #client: PoolClient;
  readonly #pool: PoolState;
  readonly #texts = new Map<string, string>();
  /** The connection may be broken; it is closed and not reused. */
  #fault: StoreError | null = null;

  constructor(client: PoolClient, pool: PoolState) {
    this.#client = client;
    this.#pool = pool;
    this.answeredAfter = pool.silences;
  }

  async begin(): Promise<void> {
    await this.run('begin', []);
  }

  /** A statement that starts with its name in a comment (`prepared.ts`) is parsed and planned once per connection. */
  async run(text: string, values: readonly unknown[]): Promise<Answer> {
    // The server has rolled back a dead connection; a rollback would hide the first error.
    if (this.#fault && text === 'rollback') return { rows: [], changes: 0 };
    const name = this.#nameOf(text);
    const query = { text, values: [...values] };
    try {
      const { rows, rowCount } = await this.#ask(name === undefined ? query : { name, ...query });
      return { rows, changes: rowCount ?? 0 };
    } catch (error) {
      const fault = StoreError.fromPostgres(error);
      if (fault.code === 'STORE_UNAVAILABLE' && !wasCancelled(fault)) this.#fault = fault;
      if (fault.message === NO_ANSWER) this.#pool.silences++;
      throw fault;
    }
  }

  /** With node-postgres' own promise or time limit, most results survive until the next full garbage collection. */
  #ask(query: QueryConfig): Promise<QueryResult> {
    const { answerMs } = this.#pool;
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(NO_ANSWER));
      const timer = answerMs > 0 ? setTimeout(giveUp, answerMs) : undefined;
      this.#client.query(query, (error: Error | undefined, result) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** A text whose name is taken isn't prepared. */
  #nameOf(text: string): string | undefined {
    const name = STATEMENT_NAME.exec(text)?.[1];
    if (name === undefined) return undefined;
    const known = this.#texts.get(name);
    if (known === undefined) this.#texts.set(name, text);
    return known === undefined || known === text ? name : undefined;
  }

  release(): void {
    this.answeredAfter = this.#pool.silences;
    this.#client.release(this.#fault ?? undefined);
  }
}

/** By its time limit or lock limit. The connection is sound. */
function wasCancelled(fault: StoreError): boolean {
  return wasTooLong(fault) || wasLockedOut(fault);
}
