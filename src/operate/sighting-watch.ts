import type { Log } from '#domain/log';
import type { SightingStore } from '#store/nodes/sightings';

/** How long a sighting is reported again at each start. */
export const SIGHTING_MEMORY_MS = 30 * 24 * 60 * 60_000;

interface Deps<T> {
  store: SightingStore<T>;
  log: Log;
  /** Whether an earlier process's sighting still matters. */
  isStillTrue: (sighting: T) => boolean;
  tell: (sighting: T) => void;
}

/** Reports sightings of requests to the operator: once per process, and at each start. */
export class SightingWatch<T> {
  readonly #deps: Deps<T>;
  #hasTold = false;

  constructor(deps: Deps<T>) {
    this.#deps = deps;
  }

  /** Then there is no need to look at any more requests. */
  get hasTold(): boolean {
    return this.#hasTold;
  }

  /** Reports at the start the sightings of earlier processes. */
  async start(): Promise<void> {
    const { store, isStillTrue } = this.#deps;
    const known = await store.read();
    if (known !== null && isStillTrue(known)) this.#tell(known);
  }

  see(sighting: T): void {
    const { store, log } = this.#deps;
    this.#tell(sighting);
    // Stored for the doctor and the next start. The request does not wait for it.
    store.keep(sighting).catch((error: unknown) => log.warn('proxy.sighting-not-kept', { error }));
  }

  #tell(sighting: T): void {
    this.#hasTold = true;
    this.#deps.tell(sighting);
  }
}
