export interface LiveRows<Row> {
  shown: readonly Row[];
  /** Of the server's page, not shown. */
  waiting: number;
  /** The last shown rows that are no longer on the server's page. */
  left: number;
}

/**
 * Shown rows stay and are updated. New rows above the last known one wait; rows below are added. Rows pushed off the
 * server's page are unchanged; other missing ones are removed. @param hasMore only then can rows be pushed off
 */
export function mergeRows<Row>(
  shown: readonly Row[],
  fresh: readonly Row[],
  { keyOf, hasMore }: { keyOf: (row: Row) => string; hasMore: boolean },
): LiveRows<Row> {
  const known = new Set(shown.map(keyOf));
  const lastKnown = fresh.findLastIndex((row) => known.has(keyOf(row)));
  // Nothing has to stay in its place.
  if (lastKnown < 0 && (!hasMore || shown.length === 0)) {
    return { shown: fresh, waiting: 0, left: 0 };
  }
  const kept =
    lastKnown < 0 ? [] : fresh.filter((row, at) => at > lastKnown || known.has(keyOf(row)));
  const isFull = hasMore && (lastKnown < 0 || lastKnown === fresh.length - 1);
  const pushedOff = isFull ? rowsAfter(shown, new Set(kept.map(keyOf)), keyOf) : [];
  return {
    shown: [...kept, ...pushedOff],
    waiting: fresh.length - kept.length,
    left: pushedOff.length,
  };
}

function rowsAfter<Row>(
  rows: readonly Row[],
  keys: ReadonlySet<string>,
  keyOf: (row: Row) => string,
): readonly Row[] {
  return rows.slice(rows.findLastIndex((row) => keys.has(keyOf(row))) + 1);
}
