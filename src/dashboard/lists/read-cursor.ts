/** Reads the cursor of a list's page from the address: `after` or `before`, as `Pagination` writes them. */
export function readCursor({ searchParams }: URL): { cursor?: string } {
  const cursor = searchParams.get('after') ?? searchParams.get('before');
  return cursor === null || cursor === '' ? {} : { cursor };
}
