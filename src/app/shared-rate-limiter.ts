import { type Hit, isOpen, RATE_WINDOW_MS, type RateLimiter } from '#api/rate-limiter';
import type { Store } from '#store/store';

/** How many used-up windows are remembered here, so that a flood of refused requests writes nothing to the database. */
const MOST_REMEMBERED = 100_000;

/** For all nodes on one Postgres (§8.1). */
export function createSharedRateLimiter(limit: number, windows: Store['rateLimits']): RateLimiter {
  const usedUp = new Map<string, number>();
  let tidiedAtMs = 0;
  const refuse = (resetAtMs: number): Hit => ({ allowed: false, limit, remaining: 0, resetAtMs });
  const tidy = async (nowMs: number) => {
    if (Math.abs(nowMs - tidiedAtMs) < RATE_WINDOW_MS) return;
    tidiedAtMs = nowMs;
    for (const [address, resetAtMs] of usedUp) if (resetAtMs <= nowMs) usedUp.delete(address);
    // If this fails, the rows just stay a minute longer.
    await windows.deleteEnded(nowMs).catch(() => {});
  };
  return {
    hit: async (address, nowMs) => {
      const knownResetAtMs = usedUp.get(address);
      if (knownResetAtMs !== undefined && isOpen(knownResetAtMs, nowMs)) {
        return refuse(knownResetAtMs);
      }
      usedUp.delete(address);
      void tidy(nowMs);
      const key = `api ${address}`;
      const { endsAt: resetAtMs, hits } = await windows.count(key, nowMs, RATE_WINDOW_MS);
      if (hits >= limit) {
        if (usedUp.size >= MOST_REMEMBERED) usedUp.clear();
        usedUp.set(address, resetAtMs);
      }
      if (hits > limit) return refuse(resetAtMs);
      return { allowed: true, limit, remaining: limit - hits, resetAtMs };
    },
  };
}
