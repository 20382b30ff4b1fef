import type { Log } from '#domain/log';
import { type ClockJumps, HOLD_MS } from '#engine/clock-jumps';
import type { HistoryDays } from '#store/retention/retention';
import type { Store } from '#store/store';

const RUNS_A_STEP = 2_000;
const TELL_EVERY_MS = 5_000;

interface HistoryOptions extends HistoryDays {
  store: Store;
  log: Log;
  clockJumps: ClockJumps;
  /** Ends the move of runs after the step under way. */
  signal?: AbortSignal;
}

/**
 * Prepares the history for writing and reading: it creates partitions for the runs that will end, and moves runs that
 * an earlier version ended to where this version looks for them. Runs move in small transactions, so this may be
 * interrupted at any time; the next start continues. If one of the two fails, the service starts nevertheless, and
 * housekeeping tries again. Until then, ended runs without a partition go to the table for the rest, and lists lack
 * what has not been moved yet.
 */
export async function prepareHistory(options: HistoryOptions): Promise<void> {
  const { store, log, clockJumps, signal, ...days } = options;
  const { retention, depths, clock } = store;
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      log.warn('retention.failed', { what, error: (error as Error).message });
    }
  };
  await attempt('clock', async () =>
    clockJumps.compareWith(await depths.lastLookBefore(clock.now() - HOLD_MS)),
  );
  await attempt('partitions', async () => {
    if (!clockJumps.isHeld()) await retention.keepPartitions(clock.now(), days);
  });
  await attempt('olderRuns', () => moveOlderRuns(store, log, signal));
}

async function moveOlderRuns(
  { retention, clock }: Store,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<void> {
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
    if (signal?.aborted) return;
    if (clock.monotonicMs() - toldAtMs < TELL_EVERY_MS) continue;
    toldAtMs = clock.monotonicMs();
    log.info('history.moving', { moved, total });
  }
  const seconds = Math.round((clock.monotonicMs() - startedAtMs) / 1000);
  log.info('history.moved', { moved, seconds });
}
