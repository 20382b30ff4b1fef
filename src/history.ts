import type { Log } from '#domain/log';
import type { Store } from '#store/store';

const RUNS_A_STEP = 2_000;
const TELL_EVERY_MS = 5_000;

interface HistoryOptions {
  store: Store;
  log: Log;
  historyDays: number;
}

/**
 * Makes the history ready to be written and read: partitions for what is about to end, and what an earlier version
 * ended where this one looks for it. Moving goes in small transactions and can be broken off at any time: the next
 * start goes on where it stood.
 */
export async function prepareHistory({ store, log, historyDays }: HistoryOptions): Promise<void> {
  const { retention, clock } = store;
  try {
    await retention.keepPartitions(clock.now(), historyDays);
  } catch (error) {
    // Housekeeping tries again; meanwhile what ends is kept in the table for the rest.
    log.warn('retention.failed', { what: 'partitions', error: (error as Error).message });
  }
  const total = await retention.countOlderRuns();
  if (total === 0) return;
  log.info('history.moving', { total });
  const startedAtMs = clock.monotonicMs();
  let toldAtMs = startedAtMs;
  let moved = 0;
  for (;;) {
    const some = await retention.moveOlderRuns(RUNS_A_STEP);
    if (some === 0) break;
    moved += some;
    if (clock.monotonicMs() - toldAtMs < TELL_EVERY_MS) continue;
    toldAtMs = clock.monotonicMs();
    log.info('history.moving', { moved, total });
  }
  log.info('history.moved', {
    moved,
    seconds: Math.round((clock.monotonicMs() - startedAtMs) / 1000),
  });
}
