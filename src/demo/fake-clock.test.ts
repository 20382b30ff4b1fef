import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from './fake-clock.ts';

test('sleepers wake at their own instants in order, also those of a jump, a freeze or woken code', async () => {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const woken: [string, number][] = [];
  const note = (name: string) => () => void woken.push([name, clock.monotonicMs()]);
  clock.after(30, note('late'));
  clock.after(10, note('early'));
  clock.after(10, () => {
    note('second')();
    clock.after(10, note('by woken code'));
  });
  clock.at(clock.now() + 3_600_000, note('an instant'));
  clock.at(Infinity, note('never'));
  clock.after(20, note('cancelled'))();
  await clock.advance(30);
  assert.deepEqual(woken.splice(0), [
    ['early', 10],
    ['second', 10],
    ['by woken code', 20],
    ['late', 30],
  ]);
  clock.after(10, note('in a freeze'));
  await clock.freeze(50);
  clock.after(10, note('after a jump'));
  clock.jumpTo('2026-01-01T02:00:00Z');
  await clock.advance(0);
  await clock.advance(10);
  assert.deepEqual(woken, [
    ['in a freeze', 80],
    ['an instant', 80],
    ['after a jump', 90],
  ]);
  await assert.rejects(clock.advanceTo('2026-01-01T00:00:00Z'), RangeError);
});
