/**
 * Faults as chance has them, on two nodes, one story after the other. Each story follows from its own number:
 * `FAULTS_SEED=… FAULTS_STORIES=1` repeats one; `FAULTS_SECONDS=…` sets the duration.
 */
import { describe, test } from 'node:test';
import { reportProgress } from '#testing/progress';
import { makeRandom } from '#testing/random';
import { startScene } from './scene.ts';
import { runStory } from './story.ts';
import { randomFault } from './walk.ts';
import { TEST_LIMIT_MS } from '#testing/limits';

const isFull = process.env['BELFRY_FULL'] === '1';
const SEED = Number(process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const SECONDS = Number(process.env['FAULTS_SECONDS'] ?? 600);
const STORIES = Number(process.env['FAULTS_STORIES'] ?? Infinity);
const isAsked = isFull || process.env['FAULTS_SEED'] !== undefined;
const LIMIT_MS = SECONDS * 1_000 + TEST_LIMIT_MS;

/** Neighbouring numbers must not begin alike. */
const SCATTER = 2_654_435_761;
/** Stories that once found a promise broken. */
const REMEMBERED: readonly number[] = [];

describe('random faults', { timeout: 2 * LIMIT_MS }, () => {
  test(
    `random faults with seed ${SEED} break no promise`,
    { timeout: LIMIT_MS, skip: !isAsked },
    async (t) => {
      await walk(SEED, (text) => t.diagnostic(text), {
        untilMs: performance.now() + SECONDS * 1_000,
        stories: STORIES,
      });
    },
  );

  for (const seed of REMEMBERED) {
    test(
      `the recorded seed ${seed} breaks no promise`,
      { timeout: LIMIT_MS, skip: !isFull },
      async (t) => {
        await walk(seed, (text) => t.diagnostic(text), { untilMs: Infinity, stories: 1 });
      },
    );
  }
});

async function walk(
  seed: number,
  say: (text: string) => void,
  { untilMs, stories }: { untilMs: number; stories: number },
): Promise<void> {
  await using scene = await startScene('Postgres, two nodes');
  using _progress = reportProgress(() => `${scene.cells} stories so far`);
  for (let n = 0; n < stories && performance.now() < untilMs; n++) {
    const { words, fault } = randomFault(makeRandom(Math.imul(seed + n, SCATTER)));
    say(`FAULTS_SEED=${seed + n}: ${words}`);
    try {
      await runStory(scene, fault);
    } catch (error) {
      throw new Error(`FAULTS_SEED=${seed + n} FAULTS_STORIES=1: ${words}`, { cause: error });
    }
  }
}
