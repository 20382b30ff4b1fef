import type { Log } from '#domain/log';
import type { SightingStore } from '#store/nodes/sightings';

/** How long a sighting is reported again at each start. */
export const SIGHTING_MEMORY_MS = 30 * 24 * 60 * 60_000;

/** Something that requests show and the operator must know. */
interface Watched<Request, Sighting> {
  store: SightingStore<Sighting>;
  log: Log;
  /** What a request shows; null: nothing. */
  find: (request: Request) => Sighting | null;
  /** Whether an earlier process's sighting still matters. */
  isStillTrue: (sighting: Sighting) => boolean;
  warn: (sighting: Sighting) => void;
}

export interface SightingWatch<Request> {
  /** Warns at the start about requests that an earlier process has seen. */
  start(): Promise<void>;
  look(request: Request): void;
}

/** Warns the operator once per process, and at each start. */
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
      // Stored for the doctor and the next start. The request does not wait for it.
      store.keep(sighting).catch((error: unknown) => {
        log.warn('proxy.sighting-not-kept', { error });
      });
    },
  };
}
