import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '#domain/base/clock';

export type Labels = Readonly<Record<string, string>>;
type Value = number | null;

/** Read when the metrics are requested. */
export interface Figure<Found> {
  name: string;
  help: string;
  labelNames?: readonly string[];
  isCounter?: true;
  /** A series whose value is null is left out. */
  valueOf: (found: Found) => Value | readonly (readonly [Labels, Value])[];
}

/** @param look null if reading failed: then there are no series */
export function watchFigures<Found>(
  registry: Registry,
  look: () => Found | null | Promise<Found | null>,
  figures: readonly Figure<Found>[],
): void {
  for (const { isCounter, valueOf, labelNames = [], ...named } of figures) {
    const collect = async () => {
      const found = await look();
      const value = found === null ? [] : valueOf(found);
      metric.reset();
      // A metric without labels is 0 after a reset.
      if (labelNames.length === 0) metric.remove();
      for (const [labels, each] of Array.isArray(value) ? value : [[{}, value] as const])
        if (each !== null) metric.inc(labels, each);
    };
    const options = { ...named, labelNames, registers: [registry], collect };
    const metric: Counter | Gauge = isCounter ? new Counter(options) : new Gauge(options);
  }
}

/** Reads at most once per `everyMs`, and repeats the last result between. Null if reading fails. */
export function throttled<Found>(
  clock: Clock,
  read: (now: number) => Promise<Found>,
  everyMs: number,
): () => Promise<Found | null> {
  let readAtMs = -Infinity;
  let reading: Promise<Found | null> = Promise.resolve(null);
  return () => {
    if (clock.monotonicMs() - readAtMs > everyMs) {
      readAtMs = clock.monotonicMs();
      // The other metrics are needed most while the database is down.
      reading = read(clock.now()).catch(() => null);
    }
    return reading;
  };
}
