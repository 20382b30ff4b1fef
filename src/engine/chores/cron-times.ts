import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { Repeating } from './repeating.ts';

const LOOK_EVERY_MS = 5_000;
/** A smaller step delays no cron noticeably. */
const STEP_MS = 5_000;

/** At a start and after the clock was set back: crons that ran while it was ahead have times that are far away now. */
export class CronTimes {
  readonly #store: Store;
  readonly #log: Log;
  readonly #looks: Repeating;
  /** The largest difference between wall and monotonic time since the clock was last set back. */
  #offsetMs = -Infinity;
  #isDue = true;
  isWorking = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#looks = new Repeating(store.clock, log, 'crons.planning-failed', () => this.#look());
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(): Promise<number> {
    const { clock } = this.#store;
    const offsetMs = clock.now() - clock.monotonicMs();
    if (this.#offsetMs - offsetMs >= STEP_MS) {
      this.#isDue = true;
      this.#offsetMs = offsetMs;
    }
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs);
    if (this.#isDue) await this.#correctAll();
    return LOOK_EVERY_MS;
  }

  async #correctAll(): Promise<void> {
    const { clock, crons } = this.#store;
    this.isWorking = true;
    try {
      const count = await crons.correctTimes(() => (this.#looks.isStopped ? null : clock.now()));
      this.#isDue = false;
      if (count > 0) this.#log.warn('crons.planned-again', { crons: count });
    } finally {
      this.isWorking = false;
    }
  }
}
