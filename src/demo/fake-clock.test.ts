import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from './fake-clock.ts';

const START = '2026-01-01T00:00:00Z';

test('sleepers wake in the order of their time, each at its own instant', async () => {
  const clock = new FakeClock(START);
  const woken: [string, number][] = [];
  clock.after(30, () => woken.push(['late', clock.monotonicMs()]));
  clock.after(10, () => woken.push(['early', clock.monotonicMs()]));
  clock.after(10, () => woken.push(['second at that time', clock.monotonicMs()]));
  clock.after(31, () => woken.push(['not yet', clock.monotonicMs()]));
  await clock.advance(30);
  assert.deepEqual(woken, [
    ['early', 10],
    ['second at that time', 10],
    ['late', 30],
  ]);
  assert.equal(clock.waiting, 1);
});

test('who goes to sleep while the clock advances is woken within the same advance', async () => {
  const clock = new FakeClock(START);
  const ticks: number[] = [];
  const tick = async () => {
    ticks.push(clock.monotonicMs());
    await Promise.resolve();
    clock.after(10, () => void tick());
  };
  clock.after(10, () => void tick());
  await clock.advance(35);
  assert.deepEqual(ticks, [10, 20, 30]);
});

test('timers due during a freeze fire after it', async () => {
  const clock = new FakeClock(START);
  const woken: number[] = [];
  for (const ms of [30, 10, 90]) clock.after(ms, () => woken.push(clock.monotonicMs()));
  await clock.freeze(50);
  assert.deepEqual(woken, [50, 50]);
  await clock.advance(40);
  assert.deepEqual(woken, [50, 50, 90]);
});

test('a jump of the wall clock moves neither monotonic time nor sleepers', async () => {
  const clock = new FakeClock(START);
  let woken = 0;
  clock.after(10, () => woken++);
  clock.jumpTo('2027-01-01T00:00:00Z');
  await clock.advance(9);
  assert.equal(clock.now(), Date.parse('2027-01-01T00:00:00.009Z'));
  assert.equal(clock.monotonicMs(), 9);
  assert.equal(woken, 0);
  clock.jumpTo(START);
  await clock.advance(1);
  assert.equal(woken, 1);
});

test('advanceTo refuses an instant in the past', async () => {
  const clock = new FakeClock(START);
  await clock.advanceTo('2026-01-01T00:00:05Z');
  assert.equal(clock.monotonicMs(), 5000);
  await assert.rejects(clock.advanceTo(START), RangeError);
});

test('a timer for an instant fires when the wall clock reaches it, also by a jump', async () => {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const woken: string[] = [];
  const at = (instant: string) => clock.at(Date.parse(instant), () => void woken.push(instant));
  at('2026-01-01T00:01:00Z');
  at('2026-01-01T02:00:00Z');
  at('2026-01-01T03:00:00Z');
  const cancel = at('2026-01-01T00:00:30Z');
  clock.at(Infinity, () => assert.fail('never'));
  cancel();
  await clock.advance(59_999);
  assert.deepEqual(woken, []);
  await clock.advance(1);
  assert.deepEqual(woken, ['2026-01-01T00:01:00Z']);
  clock.jumpTo('2026-01-01T02:30:00Z');
  await clock.advance(0);
  assert.deepEqual(woken.slice(1), ['2026-01-01T02:00:00Z']);
  clock.jumpTo('2026-01-01T00:00:00Z');
  await clock.advance(3 * 3_600_000 - 1);
  assert.equal(woken.length, 2);
  await clock.advance(1);
  assert.equal(woken.length, 3);
});
