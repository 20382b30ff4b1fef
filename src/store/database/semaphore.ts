import type { Clock } from '#domain/base/clock';
import { StoreError, wasTooLong } from './errors.ts';

interface SemaphoreLimits {
  permits: number;
  /** Further callers are refused at once. */
  mostWaiting: number;
  waitMs: number;
}

/**
 * First come, first served. STORE_BUSY for a caller without a permit in time, and for a search that the server
 * cancels.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limits: SemaphoreLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await work();
    } catch (error) {
      throw error instanceof StoreError && wasTooLong(error) ? this.#refusal(error) : error;
    } finally {
      this.#giveOn();
    }
  }

  async #take(): Promise<void> {
    const { permits, mostWaiting, waitMs } = this.#limits;
    if (this.#taken < permits) {
      this.#taken++;
      return;
    }
    if (this.#waiting.size >= mostWaiting) throw this.#refusal();
    const slot = Promise.withResolvers<void>();
    this.#waiting.add(slot.resolve);
    const cancel = this.#clock.after(waitMs, () => {
      this.#waiting.delete(slot.resolve);
      slot.reject(this.#refusal());
    });
    try {
      await slot.promise;
    } finally {
      cancel();
    }
  }

  /** To the caller that has waited longest. */
  #giveOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  #refusal(cause?: StoreError): StoreError {
    const text = cause
      ? 'this search took too long and was cut off; ask for less, or try again later'
      : `${this.#limits.permits} searches are under way and took too long to wait for; try again in a moment`;
    return new StoreError('STORE_BUSY', text, { wroteNothing: true, cause });
  }
}
