import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import { Repeating } from '#domain/base/repeating';

/** Pause before the first step after a run's end. */
export const COUNTS_GATHERED_MS = 5_000;
/** Some ten milliseconds of SQLite's only writer. */
const ROWS_PER_STEP = 1_000;
/** At least as long as the step took, so others get their turn. */
const LEAST_PAUSE_MS = 20;

/**
 * Start it after the end of a run, and at a start, because a node may have left counts behind. Any number of nodes may
 * do it at once. Nothing is queried while nothing runs; after a stop, the rest is left to the next start.
 */
export function addUpCounts({ batchCounts, clock }: Store, log: Log): Repeating {
  return new Repeating(clock, log, 'counts.not-added-up', async () => {
    const startedAtMs = clock.monotonicMs();
    const rest = await batchCounts.addUp(ROWS_PER_STEP);
    if (rest === 'nothing') return null;
    const tookMs = clock.monotonicMs() - startedAtMs;
    return rest === 'more' ? Math.max(LEAST_PAUSE_MS, tookMs) : COUNTS_GATHERED_MS;
  });
}
