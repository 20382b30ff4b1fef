/**
 * Bounds the notices of one queue whose alerts come in a burst (§6.5): the first alert is sent at once, those of the
 * next minute are sent together in one notice with a count, and so on for as long as the burst lasts.
 */
export interface Burst {
  /** Until this time, no new notice is sent at once. Milliseconds since 1970 UTC. */
  quietUntil: number;
  /** The notice that collects alerts now; it is sent at `until`. */
  gathering: { noticeId: string; until: number } | null;
}

export const NO_BURST: Burst = { quietUntil: 0, gathering: null };
export const GATHER_MS = 60_000;

/** The id of the notice that collects alerts at that moment, or null. */
export function findGathering({ gathering }: Burst, at: number): string | null {
  return gathering !== null && at < gathering.until ? gathering.noticeId : null;
}

/**
 * Opens a new notice, for an alert that no open notice collects. Returns when the notice is due and the burst's new
 * state.
 */
export function openNotice(
  { quietUntil }: Burst,
  noticeId: string,
  at: number,
): { dueAt: number; burst: Burst } {
  if (at >= quietUntil) {
    return { dueAt: at, burst: { quietUntil: at + GATHER_MS, gathering: null } };
  }
  return {
    dueAt: quietUntil,
    burst: { quietUntil: quietUntil + GATHER_MS, gathering: { noticeId, until: quietUntil } },
  };
}
