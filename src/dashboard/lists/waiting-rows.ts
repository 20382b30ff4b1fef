/**
 * Decides which rows of a refreshed list are shown at once. Rows that were already shown take their new state in
 * place. Rows above the last one of these are new and wait until somebody asks for them. Rows below it are added at
 * the end, where they move nothing.
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
