import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** How long counts of batches gather before they are added up. */
const GATHERED_MS = 5_000;
/** Rows a step: some ten milliseconds of SQLite's only writer. */
const ROWS_A_STEP = 1_000;
/** The shortest pause between two steps. It is at least as long as a step took, so others get their turn. */
const LEAST_PAUSE_MS = 20;

/**
 * Adds the counts of batches to those by the hour (`BatchCountStore`), some seconds after a run has ended. Several
 * nodes may do it at once, and each does it for all. While nothing runs, nothing is asked.
 */
export class AddingUp {
  readonly #store: Store;
  readonly #log: Log;
  /** Cancels the timer of the next step; null where none is set. */
  #cancel: (() => void) | null = null;
  /** The step under way; null where none is. */
  #step: Promise<void> | null = null;
  /** Whether a run has ended during the step under way. */
  #isExpected = false;
  #stopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Notes that a run has ended, or that a node may have left counts behind. */
  expect(): void {
    if (this.#step !== null) this.#isExpected = true;
    else if (this.#cancel === null) this.#plan(GATHERED_MS);
  }

  /** Waits for the step under way. What is left is added up after the next start, or by another node. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#step;
  }

  #plan(inMs: number): void {
    if (this.#stopped) return;
    this.#cancel = this.#store.clock.after(inMs, () => {
      this.#cancel = null;
      this.#step = this.#takeStep();
    });
  }

  async #takeStep(): Promise<void> {
    this.#isExpected = false;
    const pauseMs = await this.#addUp();
    this.#step = null;
    if (pauseMs !== null) this.#plan(pauseMs);
    else if (this.#isExpected) this.#plan(GATHERED_MS);
  }

  /** Gives the pause until the next step, or null where nothing is left. */
  async #addUp(): Promise<number | null> {
    const { batchCounts, clock } = this.#store;
    const startedAtMs = clock.monotonicMs();
    try {
      const rest = await batchCounts.addUp(ROWS_A_STEP);
      if (rest === 'nothing') return null;
      const tookMs = clock.monotonicMs() - startedAtMs;
      return rest === 'more' ? Math.max(LEAST_PAUSE_MS, tookMs) : GATHERED_MS;
    } catch (error) {
      this.#log.warn('counts.not-added-up', { error: (error as Error).message });
      return GATHERED_MS;
    }
  }
}
