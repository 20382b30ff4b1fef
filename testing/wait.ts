import { setTimeout as delay } from 'node:timers/promises';
import { WAIT_LIMIT_MS } from './limits.ts';

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

/**
 * Repeats a question until the answer is neither null, false nor undefined: for things that a process does by itself
 * and does not report.
 */
export async function eventually<Result>(
  ask: () => Promise<Result | null | undefined | false> | Result | null | undefined | false,
  { withinMs = WAIT_LIMIT_MS, everyMs = 20, what = 'what was asked for' } = {},
): Promise<Result> {
  const limit = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (performance.now() > limit) throw new Error(`Waited ${withinMs} ms for ${what}`);
    await delay(everyMs);
  }
}
