/** The page of a list that the address names: `after` or `before`, as `Pagination` writes them. */
export function readCursor({ searchParams }: URL): { cursor?: string } {
  const cursor = searchParams.get('after') ?? searchParams.get('before');
  return cursor === null || cursor === '' ? {} : { cursor };
}
