import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** How soon a change that another process has planned is noticed. */
const LOOK_EVERY_MS = 60_000;

/** Replaces signing secrets at their planned time (§5.6). Several nodes may do it at once. */
export class SecretChanges {
  readonly #store: Store;
  readonly #log: Log;
  #callOff: (() => void) | null = null;
  #look: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Resolves once the changes are made whose time came while no engine ran. */
  async start(): Promise<void> {
    this.#look = this.#lookAgain();
    await this.#look;
  }

  /** Waits for the check under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    await this.#look;
  }

  async #lookAgain(): Promise<void> {
    const inMs = await this.#changeDue();
    if (this.#stopped) return;
    this.#callOff = this.#store.clock.after(inMs, () => void this.start());
  }

  /** @returns after how many milliseconds to check again */
  async #changeDue(): Promise<number> {
    const { clock, nextSecrets } = this.#store;
    try {
      const teamIds = await nextSecrets.changeDue(clock.now());
      for (const teamId of teamIds) this.#log.info('signing.changed', { teamId });
      const earliest = await nextSecrets.readEarliest();
      if (earliest !== null) return Math.max(0, Math.min(LOOK_EVERY_MS, earliest - clock.now()));
    } catch (error) {
      this.#log.warn('signing.change-failed', { error: (error as Error).message });
    }
    return LOOK_EVERY_MS;
  }
}
