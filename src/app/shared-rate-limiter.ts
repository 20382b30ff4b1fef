import { type Hit, RATE_WINDOW_MS, type RateLimiter } from '#api/rate-limiter';
import type { Store } from '#store/store';

/** How many used-up windows are remembered here, so that a flood of refused requests writes nothing to the database. */
const MOST_REMEMBERED = 100_000;

/** For all nodes on one Postgres (§8.1). */
export class SharedRateLimiter implements RateLimiter {
  readonly #limit: number;
  readonly #windows: Store['rateLimits'];
  readonly #usedUp = new Map<string, number>();
  #tidiedAtMs = 0;

  constructor(limit: number, windows: Store['rateLimits']) {
    this.#limit = limit;
    this.#windows = windows;
  }

  async hit(address: string, nowMs: number): Promise<Hit> {
    const knownResetAtMs = this.#usedUp.get(address);
    if (knownResetAtMs !== undefined && nowMs < knownResetAtMs) return this.#refuse(knownResetAtMs);
    this.#usedUp.delete(address);
    void this.#tidy(nowMs);
    const key = `api ${address}`;
    const { endsAt: resetAtMs, hits } = await this.#windows.count(key, nowMs, RATE_WINDOW_MS);
    if (hits >= this.#limit) this.#remember(address, resetAtMs);
    if (hits > this.#limit) return this.#refuse(resetAtMs);
    return { allowed: true, limit: this.#limit, remaining: this.#limit - hits, resetAtMs };
  }

  #refuse(resetAtMs: number): Hit {
    return { allowed: false, limit: this.#limit, remaining: 0, resetAtMs };
  }

  #remember(address: string, resetAtMs: number): void {
    if (this.#usedUp.size >= MOST_REMEMBERED) this.#usedUp.clear();
    this.#usedUp.set(address, resetAtMs);
  }

  async #tidy(nowMs: number): Promise<void> {
    if (nowMs - this.#tidiedAtMs < RATE_WINDOW_MS) return;
    this.#tidiedAtMs = nowMs;
    for (const [address, resetAtMs] of this.#usedUp) {
      if (resetAtMs <= nowMs) this.#usedUp.delete(address);
    }
    // If this fails, the rows just stay a minute longer.
    await this.#windows.deleteEnded(nowMs).catch(() => {});
  }
}
