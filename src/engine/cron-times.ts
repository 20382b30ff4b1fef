import type { Log } from '#domain/log';
import type { Store } from '#store/store';

const LOOK_EVERY_MS = 5_000;
/** A clock that is set back by less delays no cron noticeably. */
const STEP_MS = 5_000;

/**
 * Computes the next times of all crons again at a start and if the clock was set back: while it was ahead, crons that
 * ran were planned for times that are far away now.
 */
export class CronTimes {
  readonly #store: Store;
  readonly #log: Log;
  /** The largest difference between wall time and monotonic time since the clock was last set back. */
  #offsetMs = -Infinity;
  #isDue = true;
  #cancel: (() => void) | null = null;
  #work: Promise<void> | null = null;
  #stopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** True while times are computed. */
  get isWorking(): boolean {
    return this.#work !== null;
  }

  start(): void {
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#work;
  }

  #look(): void {
    if (this.#stopped) return;
    const { clock } = this.#store;
    const offsetMs = clock.now() - clock.monotonicMs();
    if (this.#offsetMs - offsetMs >= STEP_MS) {
      this.#isDue = true;
      this.#offsetMs = offsetMs;
    }
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs);
    if (this.#isDue) {
      this.#work ??= this.#correctAll().finally(() => {
        this.#work = null;
      });
    }
    this.#cancel = clock.after(LOOK_EVERY_MS, () => this.#look());
  }

  async #correctAll(): Promise<void> {
    const { clock, crons } = this.#store;
    this.#isDue = false;
    try {
      const count = await crons.correctTimes(() => (this.#stopped ? null : clock.now()));
      if (count > 0) this.#log.warn('crons.planned-again', { crons: count });
    } catch (error) {
      this.#isDue = true;
      this.#log.warn('crons.planning-failed', { error: (error as Error).message });
    }
  }
}
