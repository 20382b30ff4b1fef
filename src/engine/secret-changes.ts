import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** How soon what another process has planned is known of. */
const LOOK_EVERY_MS = 60_000;

/** Puts signing secrets in force at their time (§5.6). Any number of nodes may do it at once. */
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

  /** Resolves once those are in force whose time came while no engine ran. */
  async start(): Promise<void> {
    this.#look = this.#lookAgain();
    await this.#look;
  }

  /** Waits for the look under way. */
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

  /** @returns when to look again */
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
