import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { Repeating } from './repeating.ts';

/** How long counts of batches gather before they are added up. */
const GATHERED_MS = 5_000;
/** Rows per step: some ten milliseconds of SQLite's only writer. */
const ROWS_PER_STEP = 1_000;
/** The shortest pause between two steps. It is at least as long as a step took, so others get their turn. */
const LEAST_PAUSE_MS = 20;

/**
 * Adds the counts of batches to those by the hour (`BatchCountStore`), some seconds after a run has ended. Several
 * nodes may do it at once, and each does it for all. While nothing runs, there are no queries.
 */
export class AddingUp {
  readonly #store: Store;
  readonly #steps: Repeating;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#steps = new Repeating(store.clock, log, 'counts.not-added-up', () => this.#addUp());
  }

  /** Notes that a run has ended, or that a node may have left counts behind. */
  expect(): void {
    this.#steps.start(GATHERED_MS);
  }

  /** The counts that are left are added up after the next start, or by another node. */
  stop(): Promise<void> {
    return this.#steps.stop();
  }

  async #addUp(): Promise<number | null> {
    const { batchCounts, clock } = this.#store;
    const startedAtMs = clock.monotonicMs();
    const rest = await batchCounts.addUp(ROWS_PER_STEP);
    if (rest === 'nothing') return null;
    const tookMs = clock.monotonicMs() - startedAtMs;
    return rest === 'more' ? Math.max(LEAST_PAUSE_MS, tookMs) : GATHERED_MS;
  }
}
