import type { Clock } from '#domain/clock';

/** At most once per `everyMs`. Null if it can't be read. */
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
      // The other metrics are needed most while the database is down.
      reading = read().catch(() => null);
    }
    return reading;
  };
}
