import type { Clock } from '#domain/clock';

/** How long responses are processed in one turn of the event loop, in milliseconds. */
const TURN_MS = 10;

/**
 * Limits the time for processing responses, which happens on the thread that everything else uses. All responses
 * together get a few milliseconds in each turn of the event loop, however many and large they are.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #spentMs = 0;
  #isEndAwaited = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Does some work now if there is time left in this turn; else in a later turn, in the order of the calls.
   *
   * @returns whether it was done now
   */
  do(work: () => void): boolean {
    if (this.#waiting.length === 0 && this.#spentMs < TURN_MS) {
      this.#spend(work);
      return true;
    }
    this.#waiting.push(work);
    return false;
  }

  #spend(work: () => void): void {
    const startedMs = this.#clock.monotonicMs();
    work();
    this.#spentMs += this.#clock.monotonicMs() - startedMs;
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    setImmediate(() => this.#beginTurn());
  }

  #beginTurn(): void {
    this.#isEndAwaited = false;
    this.#spentMs = 0;
    while (this.#spentMs < TURN_MS) {
      const work = this.#waiting.shift();
      if (work === undefined) return;
      this.#spend(work);
    }
  }
}
