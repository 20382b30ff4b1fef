import { LOOK_EVERY_MS, type Silence } from '#store/figures/depths';
import type { Store } from '#store/store';

/**
 * Times in which no engine ran, so nothing could be sent. Nobody writes them down: every engine looks at the queues
 * once in each five minutes, and where two looks or more are missing none ran.
 */

/** One missed look may be a slow one. */
const LONGEST_SILENCE_MS = 11 * 60_000;
/** Of more than these in one place of a list, one line tells. */
const MOST_IN_A_PLACE = 3;

/** True to five minutes: it began and ended at most so much earlier and later than this. */
export interface Outage {
  from: number;
  /** Null: it goes on. */
  to: number | null;
}

/** One outage, or several that follow each other, between the rows of a list. */
export interface PlacedOutage extends Outage {
  /** The row below it, which is older; null: it is below the last row. */
  aboveId: string | null;
  times: number;
}

export async function readOutages(
  { depths, clock }: Store,
  { from }: { from: number },
): Promise<Outage[]> {
  const now = clock.now();
  return findOutages(await depths.readSilences({ from, to: now }, LONGEST_SILENCE_MS), now);
}

/** @param silences  the earliest first, as `readSilences` gives them. @returns the earliest first */
export function findOutages(silences: readonly Silence[], now: number): Outage[] {
  return silences
    .filter(({ at, nextAt }) => (nextAt ?? now) - at > LONGEST_SILENCE_MS)
    .map(({ at, nextAt }) => ({ from: at + LOOK_EVERY_MS, to: nextAt }));
}

/** For how many milliseconds of a step no engine ran. */
export function sumOutages(
  outages: readonly Outage[],
  { from, to }: { from: number; to: number },
): number {
  return outages.reduce((sum, outage) => {
    const overlap = Math.min(outage.to ?? to, to) - Math.max(outage.from, from);
    return sum + Math.max(0, overlap);
  }, 0);
}

/**
 * Places outages between the rows of a page. A run that ended within one proves that an engine ran, so that one is
 * left out.
 *
 * @param rows  the latest first
 * @param between  the end of the row before and of the row after this page, as far as they are known
 * @returns the latest first
 */
export function placeOutages(
  outages: readonly Outage[],
  rows: readonly { id: string; at: number }[],
  between: { newerAt: number | null; olderAt: number | null },
): PlacedOutage[] {
  const newest = between.newerAt ?? Infinity;
  const oldest = between.olderAt ?? rows.at(-1)?.at ?? Infinity;
  const placed = outages
    .filter(({ from, to }) => from < newest && (to ?? Infinity) > oldest)
    .filter(({ from, to }) => !rows.some(({ at }) => at > from && at < (to ?? Infinity)))
    .toReversed()
    .map(({ from, to }): PlacedOutage => {
      const below = rows.find(({ at }) => at <= from);
      return { from, to, aboveId: below?.id ?? null, times: 1 };
    });
  return [...Map.groupBy(placed, ({ aboveId }) => aboveId).values()].flatMap(sumUpMany);
}

function sumUpMany(placed: PlacedOutage[]): PlacedOutage[] {
  const [latest, earliest] = [placed[0], placed.at(-1)];
  if (placed.length <= MOST_IN_A_PLACE || !latest || !earliest) return placed;
  return [{ ...latest, from: earliest.from, times: placed.length }];
}
