import type { Clock } from '#domain/clock';

/**
 * Reads at most once in a time, however often it is asked. Null where it can't be read, as while the database is
 * away.
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
      // The other figures are wanted most while the database is away.
      reading = read().catch(() => null);
    }
    return reading;
  };
}
