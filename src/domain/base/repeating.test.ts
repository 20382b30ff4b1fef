import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { silentLog } from './log.ts';
import { Repeating } from './repeating.ts';

/** Records when each step began, in milliseconds since the start. `step` returns the pause. */
function sceneOf(step: (n: number, steps: Repeating) => number | null | Promise<number | null>) {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const [begun, warnings]: [number[], string[]] = [[], []];
  const log = { ...silentLog, warn: (event: string) => warnings.push(event) };
  const startedAt = clock.now();
  const steps: Repeating = new Repeating(clock, log, 'step.failed', async () => {
    begun.push(clock.now() - startedAt);
    return step(begun.length, steps);
  });
  return { clock, begun, warnings, steps };
}

describe('a repeating step', () => {
  test('a step follows after the pause that the previous one returned, and none after null', async () => {
    const { clock, begun, steps } = sceneOf((n) => [10, 20, null][n - 1] ?? null);
    steps.start();
    await clock.advance(1_000);
    assert.deepEqual(begun, [0, 10, 30]);
    assert.equal(clock.waiting, 0);
    steps.start(5);
    await clock.advance(5);
    assert.deepEqual(begun, [0, 10, 30, 1_005]);
    steps.start(5);
    await steps.stop();
    assert.equal(clock.waiting, 0);
  });

  test('several starts plan one step, and a start during a step plans the next', async () => {
    const { clock, begun, steps } = sceneOf((n, itself) => {
      if (n === 1) for (let times = 0; times < 2; times++) itself.start(100);
      return null;
    });
    for (const inMs of [50, 1, 70]) steps.start(inMs);
    assert.equal(clock.waiting, 1);
    await clock.advance(1_000);
    assert.deepEqual(begun, [50, 150]);
  });

  test('a wake begins a planned step at once, or the next one right after the one under way', async () => {
    const { clock, begun, steps } = sceneOf((n, itself) => {
      if (n === 2) {
        itself.wake();
        itself.start(50);
      }
      return n === 3 ? null : 100;
    });
    steps.start();
    await clock.advance(40);
    steps.wake();
    await clock.advance(1_000);
    assert.deepEqual(begun, [0, 40, 40]);
  });

  test('a failed step is logged and repeated after five seconds', async () => {
    const { clock, begun, warnings, steps } = sceneOf((n) => {
      if (n === 1) throw new Error('away');
      return null;
    });
    steps.start();
    await clock.advance(10_000);
    assert.deepEqual([begun, warnings], [[0, 5_000], ['step.failed']]);
  });

  test('a stop waits for the step under way, and no other follows', async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, begun, steps } = sceneOf(async () => {
      await gate.promise;
      return 10;
    });
    steps.start();
    let isStopped = false;
    const stopped = steps.stop().then(() => (isStopped = true));
    await clock.advance(1_000);
    assert.equal(isStopped, false);
    gate.resolve();
    await stopped;
    steps.start();
    await clock.advance(1_000);
    assert.deepEqual(begun, [0]);
  });
});
