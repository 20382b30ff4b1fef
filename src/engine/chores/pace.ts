export interface PaceLimits {
  first: number;
  least: number;
  most: number;
  aimMs: number;
}

/** At most twice as large, or smaller by the factor by which the step was too slow. */
export function nextSize({ least, most, aimMs }: PaceLimits, size: number, tookMs: number): number {
  const factor = Math.min(2, aimMs / Math.max(tookMs, 1));
  return Math.round(Math.min(most, Math.max(least, size * factor)));
}

/** It most likely took too long. */
export function sizeAfterFailure({ least }: PaceLimits, size: number): number {
  return Math.max(least, Math.floor(size / 4));
}
