import type { Log } from '#domain/log';
import type { Signal } from '#store/database/signals';
import type { Store } from '#store/store';
import type { Doubt, LostClaim } from '#store/nodes/lost-claims';
import type { Slots } from './slots.ts';

/** How long a claim stays in doubt: longer than the server may continue an abandoned statement. */
const DOUBT_MS = 70_000;
const LOOK_EVERY_MS = 15_000;
const STORE_DOWN_PAUSE_MS = 500;

/**
 * Claims whose answer was lost with the connection, so that it is unknown whether they were made. Rows that this node
 * has claimed but that are not running here are put back (§3.6).
 *
 * A run that was sent stays under way until its end is stored, so it is never taken for a lost claim (§3.6).
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

  /** Notes that a claim failed and may have been made nevertheless. `doubt` has the rows it may have taken. */
  expect({ queueIds, since }: Doubt): void {
    for (const queueId of queueIds) this.#queueIds.add(queueId);
    this.#since = Math.min(this.#since, since);
    const nowMs = this.#store.clock.monotonicMs();
    this.#doubtUntilMs = nowMs + DOUBT_MS;
    this.#lookAtMs = Math.min(this.#lookAtMs, nowMs);
  }

  /** For how long `release` has nothing to do, in milliseconds; Infinity while no claim is in doubt. */
  get idleForMs(): number {
    return Math.max(0, this.#lookAtMs - this.#store.clock.monotonicMs());
  }

  /** If a claim is in doubt, puts back lost runs. Call it only while nothing is being claimed. */
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
      this.tell(released);
    } catch {
      this.#lookAtMs = clock.monotonicMs() + STORE_DOWN_PAUSE_MS;
    }
  }

  /** Announces to every node since when the released runs have been due, because no node would search that far back. */
  tell(released: readonly LostClaim[]): void {
    this.#store.signals.send(released.map((lostClaim) => this.#newsOf(lostClaim)));
  }

  #forget(): void {
    this.#queueIds.clear();
    this.#since = Infinity;
  }

  #newsOf({ kind, teamId, queueId, dueAt }: LostClaim): Signal {
    if (kind === 'callback') return { kind: 'callbacks', teamId };
    if (queueId !== null) return { kind: 'jobs', queueId, teamId, dueAt };
    return { kind: 'team-due', teamId, dueAt: this.#store.clock.now() };
  }
}
