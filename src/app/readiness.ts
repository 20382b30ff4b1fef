import type { Clock } from '#domain/clock';
import type { StoreErrorCode } from '#store/database/errors';

/** Writes cost a disk more than reads, and anyone may request `/readyz`. */
const PROBE_EVERY_MS = 1_000;

interface Deps {
  clock: Clock;
  /** Resolves if the database answers. */
  ping(): Promise<void>;
  /** Resolves if the database takes writes. */
  probeWrite(): Promise<void>;
}

/**
 * Whether the database answers, and takes writes: on a full disk it still reads. Writes are only tried after a call of
 * the database has failed, so that readiness costs nothing as long as all is well.
 */
export class Readiness {
  readonly #deps: Deps;
  #isSuspect = false;
  #probedAtMs = -Infinity;
  #probe: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A call of the database has failed. */
  failed(code: StoreErrorCode): void {
    if (code === 'STORE_UNAVAILABLE' || code === 'STORE_READ_ONLY') this.#isSuspect = true;
  }

  /** Rejects with the database's error if it is not ready. */
  async check(): Promise<void> {
    await this.#deps.ping();
    if (!this.#isSuspect) return;
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#probedAtMs >= PROBE_EVERY_MS) {
      this.#probedAtMs = nowMs;
      this.#isSuspect = false;
      // A probe that fails makes it suspect again, as any other call.
      this.#probe = this.#deps.probeWrite();
    }
    await this.#probe;
  }
}
