/** How notices for a channel that collects them come together (§6.5). */

/** What a channel collects now: notices of one `id` are told as one. */
export interface Collection {
  id: string;
  /** When it is told. */
  until: number;
}

export const COLLECT_MINUTES = { least: 1, most: 60 } as const;

/** The collection that a notice joins: the one that is open, or a new one, which it opens. */
export function joinCollection(
  open: Collection | null,
  dueAt: number,
  minutes: number,
  newId: (at: number) => string,
): Collection {
  if (open !== null && dueAt < open.until) return open;
  return { id: newId(dueAt), until: dueAt + minutes * 60_000 };
}
