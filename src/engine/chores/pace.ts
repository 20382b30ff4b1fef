/** Bounds for the size of a step that is to take `aimMs`. The size is learned from the steps before. */
export interface PaceLimits {
  first: number;
  least: number;
  most: number;
  /** How long a step should take, in milliseconds. */
  aimMs: number;
}

/**
 * The size of the next step, after one of `size` rows that took `tookMs`: up to twice as large, or smaller by the
 * factor by which it was too slow.
 */
export function nextSize({ least, most, aimMs }: PaceLimits, size: number, tookMs: number): number {
  const factor = Math.min(2, aimMs / Math.max(tookMs, 1));
  return Math.round(Math.min(most, Math.max(least, size * factor)));
}

/** The size of the next step after one that failed, most likely because it took too long. */
export function sizeAfterFailure({ least }: PaceLimits, size: number): number {
  return Math.max(least, Math.floor(size / 4));
}
