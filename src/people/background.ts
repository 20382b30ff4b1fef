import type { Log } from '#domain/log';

/** Work that no response waits for: its duration must not reveal whether an account exists. */
export class Background {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  run(faultEvent: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#log.error(faultEvent, { error }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
