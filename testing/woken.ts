import assert from 'node:assert/strict';

/** An engine looks for due work by itself this often. */
const LOOK_EVERY_MS = 15_000;
const ROUNDS = 4;

/**
 * Asserts that notifications wake the engine. Without them each round after the first would wait for a look of its own.
 *
 * @param round  makes one job due and waits until it is sent
 */
export async function assertWoken(round: (n: number) => Promise<unknown>): Promise<void> {
  const from = performance.now();
  for (let n = 0; n < ROUNDS; n++) await round(n);
  const tookMs = performance.now() - from;
  const limitMs = (ROUNDS - 1) * LOOK_EVERY_MS - 1_000;
  assert.ok(tookMs < limitMs, `${ROUNDS} rounds took ${Math.round(tookMs)} ms`);
}
