import { DAY_MS } from '#domain/base/instant';
import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';

export const BLOCK_MS = 3_600_000;

export type ClockJumps = ReturnType<typeof watchClock>;

/**
 * Blocks deletions for an hour after the clock jumped ahead by a day or more, so it can be corrected. A machine that
 * was suspended for days looks the same.
 */
export function watchClock(clock: Clock, log: Log) {
  /** Wall time minus monotonic time; only jumps change it. */
  const readOffset = () => clock.now() - clock.monotonicMs();
  let lastOffsetMs = readOffset();
  let blockedUntilMs = 0;
  const block = (aheadMs: number) => {
    if (aheadMs < DAY_MS) return;
    blockedUntilMs = clock.monotonicMs() + BLOCK_MS;
    const days = Math.round((aheadMs / DAY_MS) * 10) / 10;
    log.warn('clock.jumped', { days, deletesNothingForMinutes: BLOCK_MS / 60_000 });
  };
  return {
    /**
     * Call it at a start.
     * @param at when the service last ran at least `BLOCK_MS` ago; null for never
     */
    compareWith(at: number | null): void {
      if (at !== null) block(clock.now() - at);
    },
    blocksDeletions(): boolean {
      const offsetMs = readOffset();
      block(offsetMs - lastOffsetMs);
      lastOffsetMs = offsetMs;
      return clock.monotonicMs() < blockedUntilMs;
    },
  };
}
