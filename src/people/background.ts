import type { Log } from '#domain/log';

/** Work that no response waits for, such as a mail: its duration must not reveal whether an account exists. */
export class Background {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param faultEvent  the event that is logged if the work fails */
  run(faultEvent: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#log.error(faultEvent, { error }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing runs any more. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
