/**
 * Limits the notifications of a queue (§6.5): the first alert is sent at once, those of the next minute together, and
 * so on.
 */
export interface Burst {
  quietUntil: number;
  /** Is sent at `until`. */
  gathering: { notificationId: string; until: number } | null;
}

export const NO_BURST: Burst = { quietUntil: 0, gathering: null };
export const GATHER_MS = 60_000;

export function findGathering({ gathering }: Burst, at: number): string | null {
  return gathering !== null && at < gathering.until ? gathering.notificationId : null;
}

export function openNotification(
  { quietUntil }: Burst,
  notificationId: string,
  at: number,
): { dueAt: number; burst: Burst } {
  if (at >= quietUntil) {
    return { dueAt: at, burst: { quietUntil: at + GATHER_MS, gathering: null } };
  }
  return {
    dueAt: quietUntil,
    burst: { quietUntil: quietUntil + GATHER_MS, gathering: { notificationId, until: quietUntil } },
  };
}
