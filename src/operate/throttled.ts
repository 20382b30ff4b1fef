import type { Clock } from '#domain/clock';

/** Reads at most once per `everyMs`, and repeats the last result between. Null if reading fails. */
export function throttled<Found>(
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
