/**
 * How alerts of one queue that come in a burst are told of (§6.5): the first at once, those of the next
 * minute together in one notice with a count, and so on for as long as it lasts.
 */
export interface Burst {
  /** Until when no new notice is sent at once. */
  quietUntil: number;
  /** The notice that gathers alerts now, and until when it does; sent at that moment. */
  gathering: { noticeId: string; until: number } | null;
}

export const NO_BURST: Burst = { quietUntil: 0, gathering: null };
export const GATHER_MS = 60_000;

/** The notice that gathers at that moment, or null. */
export function findGathering({ gathering }: Burst, at: number): string | null {
  return gathering !== null && at < gathering.until ? gathering.noticeId : null;
}

/** Makes a new notice for alerts that no other gathers: when it is due, and how the burst stands then. */
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
