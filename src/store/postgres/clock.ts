import { CompiledQuery } from 'kysely';
import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';

const READ_EVERY_MS = 10_000;

/**
 * The database's clock, as every node must see due times and leases by the same one: read now and then,
 * and carried on by the monotonic clock in between, so that a jump of a node's own wall clock changes
 * nothing.
 */
export class DatabaseClock implements Clock {
  readonly #db: Database;
  readonly #own: Clock;
  /** Database time minus monotonic time. */
  #offsetMs: number;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(db: Database, own: Clock) {
    this.#db = db;
    this.#own = own;
    this.#offsetMs = own.now() - own.monotonicMs();
  }

  /** Reads the clock once and keeps reading it; until then the node's own clock is believed. */
  async start(): Promise<void> {
    await this.#readClock();
    this.#again();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  now(): number {
    return Math.floor(this.#own.monotonicMs() + this.#offsetMs);
  }

  monotonicMs(): number {
    return this.#own.monotonicMs();
  }

  after(ms: number, wake: () => void): () => void {
    return this.#own.after(ms, wake);
  }

  #again(): void {
    if (this.#closed) return;
    this.#cancel = this.#own.after(READ_EVERY_MS, () => {
      // Out of reach for now: the last reading is carried on.
      void this.#readClock()
        .catch(() => {})
        .then(() => this.#again());
    });
  }

  /** Of a few readings the one with the shortest way is the truest. */
  async #readClock(): Promise<void> {
    let shortestMs = Infinity;
    for (let n = 0; n < 3; n++) {
      const askedAt = this.#own.monotonicMs();
      const [row] = await this.#db.autocommit(READ_CLOCK);
      const answeredAt = this.#own.monotonicMs();
      if (!row || answeredAt - askedAt >= shortestMs) continue;
      shortestMs = answeredAt - askedAt;
      this.#offsetMs = row.now - (askedAt + answeredAt) / 2;
    }
  }
}

const READ_CLOCK = CompiledQuery.raw(
  'select extract(epoch from clock_timestamp())::double precision * 1000 as now',
) as CompiledQuery<{ now: number }>;
