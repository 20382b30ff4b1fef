/** Each may have a body of 64 KiB. */
export const MOST_LISTED = 10_000;

/** SQLite reads a negative LIMIT as none. */
export function boundLimit(limit: number): number {
  return Math.max(1, Math.min(Math.trunc(limit), MOST_LISTED));
}

const DEFAULT_ON_A_PAGE = 50;
const MOST_ON_A_PAGE = 200;

export function boundPage(limit = DEFAULT_ON_A_PAGE): number {
  const whole = Number.isFinite(limit) ? Math.trunc(limit) : DEFAULT_ON_A_PAGE;
  return Math.max(1, Math.min(whole, MOST_ON_A_PAGE));
}
