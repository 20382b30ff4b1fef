import type { Clock } from '#domain/clock';
import type { StoreErrorCode } from '#store/database/errors';

/** Writes cost more than reads, and anyone may request `/readyz`. */
const PROBE_EVERY_MS = 1_000;

interface Deps {
  clock: Clock;
  ping(): Promise<void>;
  probeWrite(): Promise<void>;
}

/** Writes are tried only after a call has failed, so that readiness costs nothing otherwise. */
export class Readiness {
  readonly #deps: Deps;
  #isSuspect = false;
  #probedAtMs = -Infinity;
  #probe: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  failed(code: StoreErrorCode): void {
    if (code === 'STORE_UNAVAILABLE' || code === 'STORE_READ_ONLY') this.#isSuspect = true;
  }

  async check(): Promise<void> {
    await this.#deps.ping();
    if (!this.#isSuspect) return;
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#probedAtMs >= PROBE_EVERY_MS) {
      this.#probedAtMs = nowMs;
      this.#isSuspect = false;
      // A failing probe makes it suspect again.
      this.#probe = this.#deps.probeWrite();
    }
    await this.#probe;
  }
}
