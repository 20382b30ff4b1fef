import type { Clock } from '#domain/base/clock';
import type { StoreErrorCode } from '#store/database/errors';

/** Writes cost more than reads, and anyone may request `/readyz`. */
const PROBE_EVERY_MS = 1_000;

interface Deps {
  clock: Clock;
  ping: () => Promise<void>;
  probeWrite: () => Promise<void>;
}

export type Readiness = ReturnType<typeof createReadiness>;

/** Writes are tried only after a call has failed, so that readiness costs nothing otherwise. */
export function createReadiness({ clock, ping, probeWrite }: Deps) {
  let isSuspect = false;
  let probedAtMs = -Infinity;
  let probe = Promise.resolve();
  return {
    failed: (code: StoreErrorCode) => {
      if (code === 'STORE_UNAVAILABLE' || code === 'STORE_READ_ONLY') isSuspect = true;
    },
    check: async () => {
      await ping();
      if (!isSuspect) return;
      const nowMs = clock.monotonicMs();
      if (nowMs - probedAtMs >= PROBE_EVERY_MS) {
        probedAtMs = nowMs;
        isSuspect = false;
        // A failing probe makes it suspect again.
        probe = probeWrite();
      }
      await probe;
    },
  };
}
