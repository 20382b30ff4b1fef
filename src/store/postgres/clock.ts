import { type Clock, wakeAt } from '#domain/base/clock';
import type { Database } from '../database/database.ts';
import { preparedStatement } from '../database/prepared.ts';

const READ_EVERY_MS = 10_000;

/**
 * All nodes compare due times and leases by it. Between readings the monotonic clock continues it, so a jump of the
 * node's clock changes nothing.
 */
export class DatabaseClock implements Clock {
  readonly #db: Database;
  readonly #own: Clock;
  #offsetMs: number;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(db: Database, own: Clock) {
    this.#db = db;
    this.#own = own;
    this.#offsetMs = own.now() - own.monotonicMs();
  }

  /** Until then the node's own clock is used. */
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

  at(instant: number, wake: () => void): () => void {
    return wakeAt(this, instant, wake);
  }

  #again(): void {
    if (this.#closed) return;
    this.#cancel = this.#own.after(READ_EVERY_MS, () => {
      // The last reading remains in use.
      void this.#readClock()
        .catch(() => {})
        .then(() => this.#again());
    });
  }

  /** Uses the reading with the shortest round trip. */
  async #readClock(): Promise<void> {
    let shortestMs = Infinity;
    for (let n = 0; n < 3; n++) {
      const askedAt = this.#own.monotonicMs();
      const [row] = await this.#db.rows(readClock, []);
      const answeredAt = this.#own.monotonicMs();
      if (!row || answeredAt - askedAt >= shortestMs) continue;
      shortestMs = answeredAt - askedAt;
      this.#offsetMs = row.now - (askedAt + answeredAt) / 2;
    }
  }
}

const readClock = preparedStatement<{ now: number }>(
  'read-clock',
  () => 'select extract(epoch from clock_timestamp())::double precision * 1000 as now',
);
