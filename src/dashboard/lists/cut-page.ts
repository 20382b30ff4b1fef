interface Page<Row> {
  rows: Row[];
  next: string | null;
  previous: string | null;
}

/**
 * One more row means that there are further rows. @param found newest first, at most `size + 1`
 * @param search has `after` if the page was reached by going back
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
    previous: hasNewer ? (rows[0]?.id ?? search.before ?? null) : null,
  };
}

/** `after` or `before`. */
export function readCursor({ searchParams }: URL): { cursor?: string } {
  const cursor = searchParams.get('after') ?? searchParams.get('before');
  return cursor === null || cursor === '' ? {} : { cursor };
}

/** Of lists by id: going on to older rows means before the last one. */
export function readIdCursor(params: URLSearchParams): { before?: string; after?: string } {
  const [older, newer] = [params.get('after'), params.get('before')];
  return older ? { before: older } : newer ? { after: newer } : {};
}
