import type { Log } from '#domain/log';
import type { Store } from '#store/store';

export interface HousekeepingOptions {
  store: Store;
  log: Log;
  historyDays: number;
}

const EVERY_MS = 60_000;
/** While there is more to delete: short rounds with pauses, so that dispatch never waits behind one. */
const PAUSE_MS = 200;
const ROWS_A_ROUND = 500;
const PAGES_A_ROUND = 500;

/**
 * Deletes what has been kept long enough (D32), and gives the room back, in small steps between everything
 * else. Any number of nodes may do it at once.
 */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #callOff: (() => void) | null = null;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#again(EVERY_MS);
  }

  /** Begins no more rounds and waits for the one under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    await this.#round;
  }

  #again(inMs: number): void {
    if (this.#stopped) return;
    this.#callOff = this.#options.store.clock.after(inMs, () => {
      this.#round = this.#tidy().then((hasMore) => this.#again(hasMore ? PAUSE_MS : EVERY_MS));
    });
  }

  /** One round; true where there is more to do. */
  async #tidy(): Promise<boolean> {
    const { store, log, historyDays } = this.#options;
    try {
      const now = store.clock.now();
      const gone = await store.retention.deleteExpired({ now, historyDays, limit: ROWS_A_ROUND });
      const rows = Object.values(gone).reduce((sum: number, each: number) => sum + each, 0);
      const freePages = await store.retention.giveBackPages(PAGES_A_ROUND);
      if (rows > 0) log.debug('retention.deleted', gone);
      const hasMore = Object.values(gone).some((each) => each >= ROWS_A_ROUND);
      return hasMore || freePages > PAGES_A_ROUND;
    } catch (error) {
      log.warn('retention.failed', { error: (error as Error).message });
      return false;
    }
  }
}
