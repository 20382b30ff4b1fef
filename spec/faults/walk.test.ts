/**
 * Faults as chance has them, on two nodes, one story after the other. Each story follows from its own number:
 * `FAULTS_SEED=… FAULTS_STORIES=1` repeats one; `FAULTS_SECONDS=…` sets the duration.
 */
import { test } from 'node:test';
import { TEST_LIMIT_MS } from '#testing/limits';
import { reportProgress } from '#testing/progress';
import { startScene } from './scene.ts';
import { runStory } from './story.ts';
import { randomFault } from './walk.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const SECONDS = Number(process.env['FAULTS_SECONDS'] ?? 600);
const STORIES = Number(process.env['FAULTS_STORIES'] ?? Infinity);
const isAsked = process.env['BELFRY_FULL'] === '1' || process.env['FAULTS_SEED'] !== undefined;

/** Neighbouring numbers must not begin alike. */
const SCATTER = 2_654_435_761;

test(
  `random faults with seed ${SEED} break no promise`,
  { timeout: SECONDS * 1_000 + TEST_LIMIT_MS, skip: !isAsked },
  async (t) => {
    const untilMs = performance.now() + SECONDS * 1_000;
    await using scene = await startScene('Postgres, two nodes');
    using _progress = reportProgress(() => `${scene.cells} stories so far`);
    for (let n = SEED; n < SEED + STORIES && performance.now() < untilMs; n++) {
      const { words, fault } = randomFault(makeRandom(Math.imul(n, SCATTER)));
      t.diagnostic(`FAULTS_SEED=${n}: ${words}`);
      try {
        await runStory(scene, fault);
      } catch (error) {
        throw new Error(`FAULTS_SEED=${n} FAULTS_STORIES=1: ${words}`, { cause: error });
      }
    }
  },
);

/** A seeded generator of numbers from 0 to 1: small and repeatable, good enough to choose moments. */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
