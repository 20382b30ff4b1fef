/**
 * Decides what of a freshly read list is shown at once. Rows already on the page take their new state
 * in place; rows above the last known one are new and wait until they are asked for; rows below only
 * fill the end of the page, where nothing moves.
 */
export function holdBackNewRows<Row>(
  fresh: readonly Row[],
  known: ReadonlySet<string>,
  keyOf: (row: Row) => string,
): { shown: Row[]; waiting: number } {
  const lastKnown = fresh.findLastIndex((row) => known.has(keyOf(row)));
  if (lastKnown < 0 && known.size === 0) return { shown: [...fresh], waiting: 0 };
  const shown = fresh.filter((row, at) => at > lastKnown || known.has(keyOf(row)));
  return {
    shown: lastKnown < 0 ? [] : shown,
    waiting: fresh.length - (lastKnown < 0 ? 0 : shown.length),
  };
}
