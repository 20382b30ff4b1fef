import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { Repeating } from './repeating.ts';

const GATHERED_MS = 5_000;
/** Some ten milliseconds of SQLite's only writer. */
const ROWS_PER_STEP = 1_000;
/** At least as long as the step took, so others get their turn. */
const LEAST_PAUSE_MS = 20;

/** Any number of nodes may do it at once. Nothing is queried while nothing runs. */
export class AddingUp {
  readonly #store: Store;
  readonly #steps: Repeating;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#steps = new Repeating(store.clock, log, 'counts.not-added-up', () => this.#addUp());
  }

  /** A run has ended, or a node may have left counts behind. */
  expect(): void {
    this.#steps.start(GATHERED_MS);
  }

  /** The rest is added up after the next start, or by another node. */
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
