import type { Clock } from '#domain/base/clock';

const BUDGET_MS = 10;

export interface BudgetedTask {
  runSlice(): void;
}

/** All together get a few milliseconds in each iteration of the event loop. */
export class LoopBudget {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #waiting: BudgetedTask[] = [];
  #spentMs = 0;
  #isEndAwaited = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Runs the task now if time is left in this iteration, else in a later one, in order.
   * @returns whether it ran now
   */
  run(task: BudgetedTask): boolean {
    if (this.#waiting.length === 0 && this.#spentMs < BUDGET_MS) {
      this.#spend(task);
      return true;
    }
    this.runLater(task);
    return false;
  }

  runLater(task: BudgetedTask): void {
    this.#waiting.push(task);
    this.#awaitEnd();
  }

  #spend(task: BudgetedTask): void {
    const startedMs = this.#clock.monotonicMs();
    task.runSlice();
    this.#spentMs += this.#clock.monotonicMs() - startedMs;
    this.#awaitEnd();
  }

  #awaitEnd(): void {
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    setImmediate(() => this.#beginIteration());
  }

  #beginIteration(): void {
    this.#isEndAwaited = false;
    this.#spentMs = 0;
    // A waiter that is added from now on waits for the next iteration.
    for (let left = this.#waiting.length; left > 0 && this.#spentMs < BUDGET_MS; left--) {
      const task = this.#waiting.shift();
      if (task !== undefined) this.#spend(task);
    }
    if (this.#waiting.length > 0) this.#awaitEnd();
  }
}
