import type { Clock } from '#domain/clock';

/**
 * Reads something at most once per `everyMs` and caches it. Returns null if it can't be read, for example while the
 * database is down.
 */
export function seldom<Found>(
  clock: Clock,
  read: () => Promise<Found>,
  everyMs: number,
): () => Promise<Found | null> {
  let readAtMs = -Infinity;
  let reading: Promise<Found | null> = Promise.resolve(null);
  return () => {
    if (clock.monotonicMs() - readAtMs > everyMs) {
      readAtMs = clock.monotonicMs();
      // Faults are caught, because the other metrics are needed most while the database is down.
      reading = read().catch(() => null);
    }
    return reading;
  };
}
