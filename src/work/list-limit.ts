/** The most rows of one list: each may have a response body of 64 KiB. */
export const MOST_LISTED = 10_000;

/** A count that a database can take: SQLite reads a negative LIMIT as no limit at all. */
export function boundLimit(limit: number): number {
  return Math.max(1, Math.min(Math.trunc(limit), MOST_LISTED));
}
