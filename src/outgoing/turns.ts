import type { Clock } from '#domain/clock';

/** In one turn of the event loop. */
const TURN_MS = 10;

export interface TurnTaker {
  takeTurn(): void;
}

/** Limits the time for processing responses: all together get a few milliseconds in each turn of the event loop. */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #waiting: TurnTaker[] = [];
  #spentMs = 0;
  #isEndAwaited = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Now if there is time left in this turn; else in a later turn, in order.
   * @returns whether it was called now
   */
  takeNow(taker: TurnTaker): boolean {
    if (this.#waiting.length === 0 && this.#spentMs < TURN_MS) {
      this.#spend(taker);
      return true;
    }
    this.takeLater(taker);
    return false;
  }

  takeLater(taker: TurnTaker): void {
    this.#waiting.push(taker);
    this.#awaitEnd();
  }

  #spend(taker: TurnTaker): void {
    const startedMs = this.#clock.monotonicMs();
    taker.takeTurn();
    this.#spentMs += this.#clock.monotonicMs() - startedMs;
    this.#awaitEnd();
  }

  #awaitEnd(): void {
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    setImmediate(() => this.#beginTurn());
  }

  #beginTurn(): void {
    this.#isEndAwaited = false;
    this.#spentMs = 0;
    // A waiter that is added from now on waits for the next turn.
    for (let left = this.#waiting.length; left > 0 && this.#spentMs < TURN_MS; left--) {
      const taker = this.#waiting.shift();
      if (taker !== undefined) this.#spend(taker);
    }
    if (this.#waiting.length > 0) this.#awaitEnd();
  }
}
