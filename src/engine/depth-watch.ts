import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** Short enough that in each of the minutes that `DepthStore.look` distinguishes at least one node calls it. */
const ASK_EVERY_MS = 60_000;

/** Records regularly how many jobs wait (`DepthStore.look`). */
export class DepthWatch {
  readonly #store: Store;
  readonly #log: Log;
  #cancel: (() => void) | null = null;
  #look: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  start(): void {
    this.#look = this.#lookAgain();
  }

  /** Waits for the call under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#look;
  }

  async #lookAgain(): Promise<void> {
    const { clock, depths } = this.#store;
    try {
      await depths.look(clock.now());
    } catch (error) {
      this.#log.warn('depths.look-failed', { error: (error as Error).message });
    }
    if (this.#stopped) return;
    this.#cancel = clock.after(ASK_EVERY_MS, () => this.start());
  }
}
