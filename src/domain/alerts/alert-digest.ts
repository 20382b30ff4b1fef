/** Collected notifications (§6.5). */

/** Notifications with the same `id` are sent as one. */
export interface Collection {
  id: string;
  until: number;
}

export const COLLECT_MINUTES = { least: 1, most: 60 } as const;

/** The open collection, or a new one. */
export function joinCollection(
  open: Collection | null,
  dueAt: number,
  minutes: number,
  newId: (at: number) => string,
): Collection {
  if (open !== null && dueAt < open.until) return open;
  return { id: newId(dueAt), until: dueAt + minutes * 60_000 };
}
