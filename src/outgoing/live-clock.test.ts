import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { LiveClock } from './live-clock.ts';

let clock: FakeClock;
let live: LiveClock;
let wokenAtMs: number | null;
const wait = (ms: number) => live.after(ms, () => (wokenAtMs = clock.monotonicMs()));

beforeEach(() => {
  clock = new FakeClock('2026-01-01T00:00:00Z');
  live = new LiveClock(clock);
  wokenAtMs = null;
});

describe('a clock that stops with its process', () => {
  test('a deadline is extended by the time for which the process was blocked', async () => {
    for (const beforeMs of [0, 30, 4_000, 9_990]) {
      clock = new FakeClock('2026-01-01T00:00:00Z');
      live = new LiveClock(clock);
      wokenAtMs = null;
      wait(10_000);
      await clock.advance(beforeMs);
      await clock.freeze(6_000);
      await clock.advance(20_000);
      // A standstill is measured only to within the time between two beats.
      assert.ok(Math.abs(Number(wokenAtMs) - 16_000) <= 100, `${beforeMs}: ${wokenAtMs}`);
    }
  });

  test('a deadline is extended by at most its own length', async () => {
    wait(10_000);
    await clock.advance(1_000);
    await clock.freeze(3_600_000);
    await clock.advance(7_000);
    await clock.freeze(3_600_000);
    assert.equal(wokenAtMs, null, 'it has only had its eighth second');
    await clock.freeze(3_600_000);
    assert.notEqual(wokenAtMs, null);
  });

  test('the live clock skips standstills and never goes backwards', async () => {
    const cancel = wait(10_000);
    await clock.advance(1_000);
    let before = live.monotonicMs();
    for (const ms of [20, 60, 90, 300, 5_000]) {
      await clock.freeze(ms);
      assert.ok(live.monotonicMs() >= before);
      before = live.monotonicMs();
    }
    assert.ok(before < 1_600, `${before}`);
    cancel();
    assert.equal(clock.waiting, 0, 'it beats for nobody');
    await clock.freeze(5_000);
    assert.equal(live.monotonicMs(), before + 5_000);
    assert.equal(wokenAtMs, null);
  });
});
