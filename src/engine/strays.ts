import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** The server may still carry out a statement whose answer nobody waits for any more; longer than that takes. */
const DOUBT_MS = 70_000;
const LOOK_EVERY_MS = 15_000;
const STORE_DOWN_PAUSE_MS = 500;

/**
 * Claims whose answer was lost with the connection. Whether they were made nobody knows, so what stands under
 * this node's claim and is not under way here is put back (D27).
 */
export class Strays {
  readonly #store: Store;
  readonly #log: Log;
  /** Ids of runs that this process has claimed and not yet settled. */
  readonly underWay = new Set<string>();
  #doubtUntilMs = -Infinity;
  #lookAtMs = Infinity;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** A claim failed, and may have been made all the same. */
  expect(): void {
    const nowMs = this.#store.clock.monotonicMs();
    this.#doubtUntilMs = nowMs + DOUBT_MS;
    this.#lookAtMs = Math.min(this.#lookAtMs, nowMs);
  }

  /** Puts back what strayed, if a claim is in doubt. Only while nothing is being claimed. */
  async release(nodeId: string): Promise<void> {
    const { clock, nodes } = this.#store;
    if (clock.monotonicMs() < this.#lookAtMs) return;
    try {
      const released = await nodes.releaseStrays(nodeId, this.underWay);
      if (released.length > 0) this.#log.warn('claims.put-back', { runs: released.length });
      const again = clock.monotonicMs() + LOOK_EVERY_MS;
      this.#lookAtMs = again < this.#doubtUntilMs ? again : Infinity;
      this.#store.signals.send(
        released.map(({ teamId, queueId }) =>
          queueId === null
            ? { kind: 'team-due', teamId, dueAt: clock.now() }
            : { kind: 'queue-changed', queueId, teamId },
        ),
      );
    } catch {
      this.#lookAtMs = clock.monotonicMs() + STORE_DOWN_PAUSE_MS;
    }
  }
}
