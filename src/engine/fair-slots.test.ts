import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cutToClaim, dealSlots } from './fair-slots.ts';

const group = (teamId: string, inFlight = 0) => ({ teamId, inFlight });
const nobody = new Map<string, number>();

describe('dealing free slots (§3.8)', () => {
  test('a group that is alone gets two thirds of the slots', () => {
    const [slots] = dealSlots([group('a')], 256, nobody);
    assert.ok((slots ?? 0) >= 165 && (slots ?? 0) <= 171, String(slots));
    assert.deepEqual(dealSlots([group('a')], 1, nobody), [1]);
  });

  test('groups of different teams get even shares', () => {
    const slots = dealSlots([group('a'), group('b')], 100, nobody);
    assert.ok(Math.abs((slots[0] ?? 0) - (slots[1] ?? 0)) <= 12, String(slots));
  });

  test('four groups with much work, one after another, leave a slot for the next', () => {
    let free = 256;
    const teams = new Map<string, number>();
    for (let n = 0; n < 4; n++) {
      const slots = dealSlots([group(`hog ${n}`)], free, teams)[0] ?? 0;
      teams.set(`hog ${n}`, slots);
      free -= slots;
      assert.ok(free >= 1, `after ${n + 1} hogs`);
    }
  });

  test("a team's hanging queue leaves slots for its other queues, and they for other teams", () => {
    for (const all of [8, 256]) {
      const [hog = 0] = dealSlots([group('a')], all, nobody);
      const groups = [group('a', hog), group('a'), group('b')];
      const slots = dealSlots(groups, all - hog, new Map([['a', hog]]));
      assert.equal(slots[0], 0);
      assert.ok((slots[1] ?? 0) >= 1 && (slots[2] ?? 0) >= 1, String(slots));
    }
  });

  test('slots dealt are never more than free slots and never negative', () => {
    const groups = fc.array(
      fc.record({ teamId: fc.constantFrom('a', 'b', 'c'), inFlight: fc.nat(300) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(groups, fc.nat(300), (seekers, free) => {
        const slots = dealSlots(seekers, free, nobody);
        assert.ok(slots.every((each) => Number.isInteger(each) && each >= 0));
        assert.ok(slots.reduce((sum, each) => sum + each, 0) <= free);
      }),
    );
  });
});

test('a claim fills at most a third of all slots, those of its first groups', () => {
  assert.deepEqual(cutToClaim([341], 512), [171]);
  assert.deepEqual(cutToClaim([100, 0, 50, 100, 20], 512), [100, 0, 50, 21, 0]);
  assert.deepEqual(cutToClaim([1, 1], 2), [1, 0]);
});
