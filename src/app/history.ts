import type { Log } from '#domain/base/log';
import { type ClockJumps, BLOCK_MS } from '#engine/chores/clock-jumps';
import type { HistoryDays } from '#store/retention/retention';
import type { Store } from '#store/store';

interface HistoryOptions extends HistoryDays {
  store: Store;
  log: Log;
  clockJumps: ClockJumps;
}

/**
 * Creates partitions, unless the clock seems to have jumped. A failure doesn't stop the start: housekeeping tries
 * again, and runs without a partition go to `ended_jobs_rest`.
 */
export async function prepareHistory(options: HistoryOptions): Promise<void> {
  const { store, log, clockJumps, ...days } = options;
  const { retention, depths, clock } = store;
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      log.warn('retention.failed', { what, error: (error as Error).message });
    }
  };
  await attempt('clock', async () =>
    clockJumps.compareWith(await depths.lastLookBefore(clock.now() - BLOCK_MS)),
  );
  await attempt('partitions', async () => {
    if (!clockJumps.blocksDeletions()) await retention.keepPartitions(clock.now(), days);
  });
}
