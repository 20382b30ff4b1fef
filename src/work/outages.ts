import { LOOK_EVERY_MS, type Silence } from '#store/figures/depths';
import type { Store } from '#store/store';

/**
 * They are not recorded: every engine samples the queues once in five minutes; if two
 * samples are missing, none ran.
 */

/** One missed look may be a slow one. */
const LONGEST_SILENCE_MS = 11 * 60_000;

/** True to five minutes: it began and ended at most so much earlier and later than this. */
export interface Outage {
  from: number;
  /** Null: it goes on. */
  to: number | null;
}

export async function readOutages(
  { depths, clock }: Store,
  { from }: { from: number },
): Promise<Outage[]> {
  const now = clock.now();
  return findOutages(await depths.readSilences({ from, to: now }, LONGEST_SILENCE_MS), now);
}

/**
 * @param silences the earliest first
 * @returns the earliest first
 */
export function findOutages(silences: readonly Silence[], now: number): Outage[] {
  return silences
    .filter(({ at, nextAt }) => (nextAt ?? now) - at > LONGEST_SILENCE_MS)
    .map(({ at, nextAt }) => ({ from: at + LOOK_EVERY_MS, to: nextAt }));
}

export function sumOutages(
  outages: readonly Outage[],
  { from, to }: { from: number; to: number },
): number {
  return outages.reduce((sum, outage) => {
    const overlap = Math.min(outage.to ?? to, to) - Math.max(outage.from, from);
    return sum + Math.max(0, overlap);
  }, 0);
}
