import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';

const LOG_EVERY_MS = 10_000;

/**
 * Logs refused calls: the first at once, then a count every ten seconds. A line for each would fill a disk that is
 * full already.
 */
export class UnavailableLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #refused = 0;
  #isWaiting = false;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  refused(error: Error): void {
    this.#refused++;
    if (!this.#isWaiting) this.#report(error);
  }

  #report({ message }: Error): void {
    this.#log.warn('api.unavailable', { refused: this.#refused, error: message });
    this.#refused = 0;
    this.#isWaiting = true;
    this.#clock.after(LOG_EVERY_MS, () => {
      this.#isWaiting = false;
      if (this.#refused > 0) this.#report(new Error(message));
    });
  }
}
