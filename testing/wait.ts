/** How long a helper waits for something that should come at once, unless told otherwise. */
export const DEFAULT_WAIT_MS = 10_000;

/**
 * Resolves with what `promise` gives, or rejects after `withinMs` real milliseconds.
 *
 * @param describe  what was waited for and what came instead; asked only when the time is up
 */
export async function withinTime<Result>(
  promise: Promise<Result>,
  withinMs: number,
  describe: () => string,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const limit = setTimeout(
    () => reject(new Error(`Waited ${withinMs} ms for ${describe()}`)),
    withinMs,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(limit);
  }
}

/** The present instant in milliseconds since 1970 UTC, with fractions. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
