export interface LiveRows<Row> {
  shown: readonly Row[];
  /** How many rows of the server's page are not shown. */
  waiting: number;
  /** How many of the shown rows, the last ones, are no longer on the server's page. */
  left: number;
}

/**
 * The rows of a live list after a refresh. Shown rows stay and take their new state. New rows above the last one of
 * them wait for a click; rows below it are added at the end, where they move nothing. Rows that new ones pushed off the
 * server's page are unchanged; other missing rows are removed.
 *
 * @param hasMore whether the server has rows below its page: only then can rows be pushed off it
 */
export function mergeRows<Row>(
  shown: readonly Row[],
  fresh: readonly Row[],
  { keyOf, hasMore }: { keyOf: (row: Row) => string; hasMore: boolean },
): LiveRows<Row> {
  const known = new Set(shown.map(keyOf));
  const lastKnown = fresh.findLastIndex((row) => known.has(keyOf(row)));
  // None of the shown rows is left, so nothing has to stay in its place.
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

/** The rows after the last one of these keys. */
function rowsAfter<Row>(
  rows: readonly Row[],
  keys: ReadonlySet<string>,
  keyOf: (row: Row) => string,
): readonly Row[] {
  return rows.slice(rows.findLastIndex((row) => keys.has(keyOf(row))) + 1);
}
