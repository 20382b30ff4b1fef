/** Each may have a body of 64 KiB. */
export const MOST_LISTED = 10_000;

/** SQLite reads a negative LIMIT as none. */
export function boundLimit(limit: number): number {
  return Math.max(1, Math.min(Math.trunc(limit), MOST_LISTED));
}
