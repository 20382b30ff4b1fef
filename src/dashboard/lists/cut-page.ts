interface Page<Row> {
  rows: Row[];
  next: string | null;
  previous: string | null;
}

/**
 * Makes a page from the found rows: one more row than a page holds means that there are further rows.
 *
 * @param found newest first, `size + 1` at most
 * @param search has `after` if the page was reached by going back to newer rows
 */
export function cutPage<Row extends { id: string }>(
  found: readonly Row[],
  search: { before?: string; after?: string },
  size: number,
): Page<Row> {
  const isBack = search.after !== undefined;
  const rows = isBack ? found.slice(-size) : found.slice(0, size);
  const isFull = found.length > size;
  const hasOlder = isBack || isFull;
  const hasNewer = isBack ? isFull : search.before !== undefined;
  return {
    rows,
    next: hasOlder ? (rows.at(-1)?.id ?? null) : null,
    previous: hasNewer ? (rows[0]?.id ?? null) : null,
  };
}

/** Reads the cursor of a list's page from the address: `after` or `before`, as `Pagination` writes them. */
export function readCursor({ searchParams }: URL): { cursor?: string } {
  const cursor = searchParams.get('after') ?? searchParams.get('before');
  return cursor === null || cursor === '' ? {} : { cursor };
}
