import type { Log } from '#domain/base/log';
import type { Sightings } from '#store/nodes/sightings';

/** Reported again at each start. */
export const SIGHTING_MEMORY_MS = 30 * 24 * 60 * 60_000;

interface Watched<Request, Sighting> {
  store: Sightings<Sighting>;
  log: Log;
  /** Null: nothing. */
  find: (request: Request) => Sighting | null;
  isStillTrue: (sighting: Sighting) => boolean;
  warn: (sighting: Sighting) => void;
}

export interface SightingWatch<Request> {
  /** About requests that an earlier process has seen. */
  start(): Promise<void>;
  look(request: Request): void;
}

/** Once per process, and at each start. */
export function watchFor<Request, Sighting>({
  store,
  log,
  find,
  isStillTrue,
  warn,
}: Watched<Request, Sighting>): SightingWatch<Request> {
  let hasWarned = false;
  const warnOnce = (sighting: Sighting) => {
    hasWarned = true;
    warn(sighting);
  };
  return {
    start: async () => {
      const known = await store.read();
      if (known !== null && isStillTrue(known)) warnOnce(known);
    },
    look: (request) => {
      const sighting = hasWarned ? null : find(request);
      if (sighting === null) return;
      warnOnce(sighting);
      // For the doctor and the next start. The request doesn't wait.
      store.keep(sighting).catch((error: unknown) => {
        log.warn('proxy.sighting-not-kept', { error });
      });
    },
  };
}
