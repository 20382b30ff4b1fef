import type { Clock } from '#domain/clock';

/** How long answers are looked at before everything else has its turn, in milliseconds. */
const TURN_MS = 10;

/**
 * Looking at what targets answer takes time of the one thread that everything runs on. All answers together
 * get a few milliseconds of it in each turn of the event loop, however many they are and however large.
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
   * Does some work now if there is time left in this turn, else in its order in one of the next.
   *
   * @returns whether it is done
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
