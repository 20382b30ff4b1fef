import type { Log } from '#domain/base/log';
import type { Signal } from '#store/database/signals';
import type { Store } from '#store/store';
import type { Doubt, LostClaim } from '#store/nodes/lost-claims';
import type { Slots } from './slots.ts';

/** Longer than the server may continue an abandoned statement. */
const DOUBT_MS = 70_000;
const LOOK_EVERY_MS = 15_000;
const STORE_DOWN_PAUSE_MS = 500;

export type LostClaims = ReturnType<typeof createLostClaims>;

/**
 * Claims whose answer was lost with the connection (§3.6). A sent run stays under way until its end is stored, so it
 * never counts as lost.
 */
export function createLostClaims({ clock, nodes, signals }: Store, log: Log, slots: Slots) {
  const queueIds = new Set<string>();
  let since = Infinity;
  let doubtUntilMs = -Infinity;
  let lookAtMs = Infinity;
  const signalOf = ({ kind, teamId, queueId, dueAt }: LostClaim): Signal => {
    if (kind === 'callback') return { kind: 'callbacks', teamId };
    if (queueId !== null) return { kind: 'jobs', queueId, teamId, dueAt };
    return { kind: 'team-due', teamId, dueAt: clock.now() };
  };
  /** Names the time at which the runs became due, because no node searches that far back. */
  const signal = (released: readonly LostClaim[]) => signals.send(released.map(signalOf));
  return {
    signal,
    /** A failed claim may have taken the rows of `doubt`. */
    expect(doubt: Doubt): void {
      for (const queueId of doubt.queueIds) queueIds.add(queueId);
      since = Math.min(since, doubt.since);
      const nowMs = clock.monotonicMs();
      doubtUntilMs = nowMs + DOUBT_MS;
      lookAtMs = Math.min(lookAtMs, nowMs);
    },
    /** Infinity while no claim is in doubt. */
    get idleForMs(): number {
      return Math.max(0, lookAtMs - clock.monotonicMs());
    },
    /** Call it only while nothing is being claimed. */
    async release(nodeId: string): Promise<void> {
      if (clock.monotonicMs() < lookAtMs) return;
      try {
        const doubt = { queueIds: [...queueIds], since };
        const released = await nodes.releaseLostClaims(nodeId, slots.unsettledIds, doubt);
        if (released.length > 0) log.warn('claims.put-back', { runs: released.length });
        const again = clock.monotonicMs() + LOOK_EVERY_MS;
        lookAtMs = again < doubtUntilMs ? again : Infinity;
        if (lookAtMs === Infinity) {
          queueIds.clear();
          since = Infinity;
        }
        signal(released);
      } catch {
        lookAtMs = clock.monotonicMs() + STORE_DOWN_PAUSE_MS;
      }
    },
  };
}
