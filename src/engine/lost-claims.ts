import type { Log } from '#domain/base/log';
import type { Signal } from '#store/database/signals';
import type { Store } from '#store/store';
import type { Doubt, LostClaim } from '#store/nodes/lost-claims';
import type { Slots } from './slots.ts';

/** Longer than the server may continue an abandoned statement. */
const DOUBT_MS = 70_000;
const LOOK_EVERY_MS = 15_000;
const STORE_DOWN_PAUSE_MS = 500;

/**
 * Claims whose answer was lost with the connection (§3.6). A sent run stays under way until its end is stored, so it
 * never counts as lost.
 */
export class LostClaims {
  readonly #store: Store;
  readonly #log: Log;
  readonly #slots: Slots;
  #doubtUntilMs = -Infinity;
  readonly #queueIds = new Set<string>();
  #since = Infinity;
  #lookAtMs = Infinity;

  constructor(store: Store, log: Log, slots: Slots) {
    this.#store = store;
    this.#log = log;
    this.#slots = slots;
  }

  /** A failed claim may have taken the rows of `doubt`. */
  expect({ queueIds, since }: Doubt): void {
    for (const queueId of queueIds) this.#queueIds.add(queueId);
    this.#since = Math.min(this.#since, since);
    const nowMs = this.#store.clock.monotonicMs();
    this.#doubtUntilMs = nowMs + DOUBT_MS;
    this.#lookAtMs = Math.min(this.#lookAtMs, nowMs);
  }

  /** Infinity while no claim is in doubt. */
  get idleForMs(): number {
    return Math.max(0, this.#lookAtMs - this.#store.clock.monotonicMs());
  }

  /** Call it only while nothing is being claimed. */
  async release(nodeId: string): Promise<void> {
    const { clock, nodes } = this.#store;
    if (clock.monotonicMs() < this.#lookAtMs) return;
    try {
      const doubt = { queueIds: [...this.#queueIds], since: this.#since };
      const released = await nodes.releaseLostClaims(nodeId, this.#slots.unsettledIds, doubt);
      if (released.length > 0) this.#log.warn('claims.put-back', { runs: released.length });
      const again = clock.monotonicMs() + LOOK_EVERY_MS;
      this.#lookAtMs = again < this.#doubtUntilMs ? again : Infinity;
      if (this.#lookAtMs === Infinity) this.#forget();
      this.signal(released);
    } catch {
      this.#lookAtMs = clock.monotonicMs() + STORE_DOWN_PAUSE_MS;
    }
  }

  /** Since when the runs have been due, because no node would search that far back. */
  signal(released: readonly LostClaim[]): void {
    this.#store.signals.send(released.map((lostClaim) => this.#signalOf(lostClaim)));
  }

  #forget(): void {
    this.#queueIds.clear();
    this.#since = Infinity;
  }

  #signalOf({ kind, teamId, queueId, dueAt }: LostClaim): Signal {
    if (kind === 'callback') return { kind: 'callbacks', teamId };
    if (queueId !== null) return { kind: 'jobs', queueId, teamId, dueAt };
    return { kind: 'team-due', teamId, dueAt: this.#store.clock.now() };
  }
}
