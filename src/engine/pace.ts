/** As large a step as takes about so long, learned from the steps before. */
export interface PaceLimits {
  first: number;
  least: number;
  most: number;
  /** How long a step should take. */
  aimMs: number;
}

/** The next step after one of `size` that took so long: up to twice as large, or as much smaller as it was too slow. */
export function nextSize({ least, most, aimMs }: PaceLimits, size: number, tookMs: number): number {
  const factor = Math.min(2, aimMs / Math.max(tookMs, 1));
  return Math.round(Math.min(most, Math.max(least, size * factor)));
}

/** The next step after one that failed, most likely for taking too long. */
export function sizeAfterFailure({ least }: PaceLimits, size: number): number {
  return Math.max(least, Math.floor(size / 4));
}
