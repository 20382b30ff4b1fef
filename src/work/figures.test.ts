import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DURATION_BOUNDS } from '#domain/runs/duration-histogram';
import type { DurationHour } from '#store/figures/durations';
import type { OutcomeHour } from '#store/figures/outcomes';
import { countSteps, deepestSteps, figuresOf, stepsUntil, timeSteps } from './figures.ts';

const HOUR = 3_600_000;
/** Half past an hour. */
const NOW = 500_000 * HOUR + HOUR / 2;
const THIS_HOUR = 500_000 * HOUR;

const ended = (hoursAgo: number, outcome: OutcomeHour['outcome'], runs: number): OutcomeHour => {
  return { hour: THIS_HOUR - hoursAgo * HOUR, outcome, runs };
};
const timed = (hoursAgo: number, ms: number, runs: number, outcome = 'success'): DurationHour => {
  const counts = DURATION_BOUNDS.map((bound) => (bound === ms ? runs : 0));
  return { hour: THIS_HOUR - hoursAgo * HOUR, outcome, counts } as DurationHour;
};

describe('figures of a time', () => {
  test('the success rate is of all runs, retried ones among them', () => {
    const hours = [ended(0, 'success', 6), ended(1, 'retried', 3), ended(1, 'failed', 1)];
    const { successRate } = figuresOf(hours, [], { from: THIS_HOUR - 23 * HOUR, now: NOW });
    assert.equal(successRate, 0.6);
  });

  test('runs an hour count from the first run, with the elapsed part of the current hour', () => {
    const from = THIS_HOUR - 167 * HOUR;
    const of = (...hours: OutcomeHour[]) => figuresOf(hours, [], { from, now: NOW }).runsAnHour;
    assert.equal(of(ended(167, 'success', 1675)), 10);
    assert.equal(of(ended(9, 'success', 95)), 10);
    assert.equal(of(ended(0, 'success', 5)), 5, 'a few minutes are not made an hour of');
    assert.equal(of(ended(168, 'success', 5)), null, 'before the time');
    const nothing = { successRate: null, runsAnHour: null, medianMs: null, p95Ms: null };
    assert.deepEqual(figuresOf([], [], { from: 0, now: NOW }), nothing);
  });

  test('durations of all outcomes count, and those before the period do not', () => {
    const durations = [timed(0, 20, 90), timed(2, 500, 10, 'failed'), timed(30, 5000, 900)];
    const figures = figuresOf([], durations, { from: THIS_HOUR - 23 * HOUR, now: NOW });
    assert.ok(figures.medianMs !== null && figures.medianMs > 15 && figures.medianMs <= 20);
    assert.ok(figures.p95Ms !== null && figures.p95Ms > 300 && figures.p95Ms <= 500);
  });
});

describe('steps', () => {
  const steps = stepsUntil(NOW, { stepMs: 6 * HOUR, count: 3 });

  test('the last step of a plot is under way, and all begin at whole steps', () => {
    assert.equal(steps.from % (6 * HOUR), 0);
    assert.ok(steps.from + 3 * 6 * HOUR > NOW && steps.from + 2 * 6 * HOUR <= NOW);
  });

  test('an ended run counts in its step with its duration', () => {
    const lastFrom = steps.from + 12 * HOUR;
    const at = (hour: number, runs: number) => ({ hour, outcome: 'success' as const, runs });
    const counted = countSteps(
      [at(steps.from, 1), at(lastFrom, 2), at(lastFrom + HOUR, 4), at(steps.from - HOUR, 8)],
      steps,
      { outages: [], now: NOW },
    );
    assert.deepEqual(
      counted.map(({ success }) => success),
      [1, 0, 6],
    );
    const [first, second] = timeSteps([timed(12, 20, 4), timed(12, 20, 1, 'retried')], {
      ...steps,
      from: THIS_HOUR - 12 * HOUR,
    });
    assert.equal(first?.runs, 5);
    assert.equal(first?.failed, 1);
    assert.equal(second?.medianMs, null);
  });

  test('steps of a plot without an engine are marked, also the elapsed part of the last', () => {
    const lastFrom = steps.from + 12 * HOUR;
    const outages = [
      { from: steps.from + HOUR, to: steps.from + 3 * HOUR },
      { from: lastFrom - HOUR, to: null },
    ];
    const counted = countSteps([], steps, { outages, now: NOW });
    assert.deepEqual(
      counted.map(({ downMs, isDown }) => [downMs, isDown]),
      [
        [2 * HOUR, false],
        [HOUR, false],
        [NOW - lastFrom, true],
      ],
    );
  });

  test('a step without a sample has no value, and an empty queue has zero', () => {
    const looks = [steps.from, steps.from + HOUR, steps.from + 6 * HOUR];
    const depths = [
      { at: steps.from, waiting: 3, oldestMs: 5000 },
      { at: steps.from + HOUR, waiting: 7, oldestMs: 1000 },
    ];
    const deepest = deepestSteps({ looks, depths }, steps);
    assert.deepEqual(
      deepest.map(({ waiting, oldestMs }) => [waiting, oldestMs]),
      [
        [7, 5000],
        [0, 0],
        [null, null],
      ],
    );
  });
});
