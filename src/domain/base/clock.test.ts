import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { wakeAt } from './clock.ts';

test('a wake-up at an instant looks every second, so it follows a wall clock that is set', async () => {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  let woken = 0;
  const sleepUntil = (instant: string) => wakeAt(clock, Date.parse(instant), () => void woken++);
  sleepUntil('2026-01-01T00:10:00Z');
  await clock.advance(60_000);
  clock.jumpTo('2026-01-01T00:09:58Z');
  await clock.advance(999);
  assert.equal(woken, 0);
  await clock.advance(1_001);
  assert.equal(woken, 1);
  assert.equal(clock.waiting, 0);

  sleepUntil('2026-01-01T00:20:00Z')();
  assert.equal(clock.waiting, 0, 'a cancelled one leaves nothing behind');
  const cancel = sleepUntil('2026-01-01T00:20:00Z');
  await clock.advance(5_000);
  cancel();
  assert.equal(clock.waiting, 0, 'nor does one that has looked');
  wakeAt(clock, Infinity, () => assert.fail('never'));
  assert.equal(clock.waiting, 0);
});
