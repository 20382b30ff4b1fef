import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSlots } from './claim-in-steps.ts';
import { blockerOf } from './due-jobs.ts';

const queue = (concurrency_limit: number | null, is_paused: 0 | 1 = 0) => {
  return { concurrency_limit, is_paused };
};

test('a queue starts jobs up to its free slots, and none if it is deleted, paused or full', () => {
  const cases = [
    { of: undefined, running: 0, blocker: 'gone', slots: 0 },
    { of: queue(null, 1), running: 0, blocker: 'paused', slots: 0 },
    { of: queue(3, 1), running: 9, blocker: 'paused', slots: 0 },
    { of: queue(null), running: 1_000, blocker: 'nothing', slots: 5 },
    { of: queue(9), running: 3, blocker: 'nothing', slots: 5 },
    { of: queue(4), running: 3, blocker: 'nothing', slots: 1 },
    { of: queue(3), running: 3, blocker: 'at-limit', slots: 0 },
    // The limit was lowered while more jobs were running.
    { of: queue(3), running: 8, blocker: 'at-limit', slots: 0 },
  ];
  for (const { of, running, blocker, slots } of cases) {
    const counted = of && { ...of, running };
    assert.deepEqual([blockerOf(counted), openSlots(counted, 5, null)], [blocker, slots]);
  }
});

test('a rate starts no more jobs than it allows', () => {
  const allow = (slots: number) =>
    openSlots({ ...queue(4), running: 2 }, 5, { slots, from: 0, stepUs: 1 });
  assert.deepEqual([0, 1, 2, 3].map(allow), [0, 1, 2, 2]);
});
