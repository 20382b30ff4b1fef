import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import {
  allowAt,
  countWithin,
  formatRate,
  leastRate,
  nextStart,
  parseRate,
  type Rate,
  spanOf,
  startAt,
  stepOf,
} from './rate.ts';

const NOW = Date.UTC(2026, 10, 20, 9, 5);
const FIVE: Rate = { count: 5, per: 'second' };

const rates = fc.record(
  {
    count: fc.integer({ min: 1, max: 1_000_000 }),
    per: fc.constantFrom('second' as const, 'minute' as const, 'hour' as const),
  },
  { noNullPrototype: true },
);

test('a rate is a whole number of starts per second, minute or hour', () => {
  for (const [text, count, per] of [
    ['10/second', 10, 'second'],
    ['10/s', 10, 'second'],
    [' 10 / Minute ', 10, 'minute'],
    ['100 per min', 100, 'minute'],
    ['1000000/h', 1_000_000, 'hour'],
  ] as const)
    assert.deepEqual(parseRate(text), { count, per }, text);
  const wrong = `10, /second, 0/second, 1000001/second, -1/second, 1.5/second, 1e3/second, 10/day,
    10/constructor, 10//second, 10 second, 10/second/second, 10/seconds, １/s`;
  for (const text of ['', ...wrong.split(/,\s+/)]) assert.equal(parseRate(text), null, text);
  fc.assert(fc.property(rates, (rate) => assert.deepEqual(parseRate(formatRate(rate)), rate)));
});

test('the starts that fit in a period, and the lowest rate for a number of starts, are exact', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 100_000_000 }), (rate, withinMs) => {
      const most = countWithin(rate, withinMs);
      assert.ok(startAt(rate, 0, most - 1) <= withinMs && startAt(rate, 0, most) > withinMs);
    }),
  );
  const day = 86_400_000;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (starts) => {
      const { count, per } = leastRate(starts, day);
      assert.ok(spanOf({ count, per }, starts) <= day);
      assert.ok(count === 1 || spanOf({ count: count - 1, per }, starts) > day);
    }),
  );
});

/** What starts when somebody looks at these moments, with more waiting than ever starts. */
function startsAt(rate: Rate, looks: readonly number[]): number[] {
  let spentUntil: number | null = null;
  return looks.flatMap((now) => {
    const { slots, from, stepUs } = allowAt(rate, spentUntil, now);
    if (slots > 0) spentUntil = from + slots * stepUs;
    return Array<number>(slots).fill(now);
  });
}

describe('starts under a rate (§3.8)', () => {
  test('starts are one step apart, and each claim returns the next time', () => {
    const starts: number[] = [];
    let spentUntil: number | null = null;
    for (let now = NOW; starts.length < 7;) {
      const allowance = allowAt(FIVE, spentUntil, now);
      assert.equal(allowance.slots, 1);
      starts.push(now - NOW);
      now = nextStart(allowance, 1);
      spentUntil = allowance.from + allowance.stepUs;
      assert.equal(allowAt(FIVE, spentUntil, now - 1).slots, 0);
    }
    assert.deepEqual(starts, [0, 200, 400, 600, 800, 1000, 1200]);
    assert.equal(spanOf(FIVE, 7), 1200);
  });

  test('a delay of up to a tenth of a second is made up for', () => {
    const after = (ms: number) => startsAt(FIVE, [NOW, NOW + 200 + ms, NOW + 400, NOW + 600]);
    assert.deepEqual(after(100), [NOW, NOW + 300, NOW + 400, NOW + 600]);
    assert.deepEqual(after(101), [NOW, NOW + 301, NOW + 600]);
  });

  test("an idle queue may start a tenth of a second's worth at once", () => {
    assert.equal(allowAt(FIVE, null, NOW).slots, 1);
    assert.equal(allowAt({ count: 100, per: 'second' }, null, NOW).slots, 11);
    assert.equal(allowAt({ count: 100, per: 'minute' }, (NOW - 60_000) * 1000, NOW).slots, 1);
  });

  test('a clock that was set back, and a rate that was raised, hold nothing up for long', () => {
    const hourly: Rate = { count: 1, per: 'hour' };
    const spent = nextStart(allowAt(hourly, null, NOW), 1) * 1000;
    assert.equal(allowAt(hourly, spent, NOW + 3_599_999).slots, 0);
    assert.equal(allowAt(FIVE, spent, NOW).slots, 1, 'raised');
    assert.equal(allowAt(hourly, spent, NOW - 6_000).slots, 1, 'set back');
  });

  test('a lowered rate counts from the last start', () => {
    const spent = nextStart(allowAt(FIVE, null, NOW), 1) * 1000;
    const minutely: Rate = { count: 1, per: 'minute' };
    assert.equal(allowAt(minutely, spent, NOW + 199).slots, 0);
    assert.deepEqual(startsAt(minutely, [NOW, NOW + 59_999, NOW + 60_000]), [NOW, NOW + 60_000]);
  });

  test('clocks that are some milliseconds apart share a rate and do not exceed it', () => {
    // One of two nodes is 40 ms ahead; both look all the time.
    const looks = Array.from({ length: 2000 }, (_, n) => NOW + n * 5 + (n % 2) * 40);
    const starts = startsAt(FIVE, looks).length;
    assert.ok(starts >= 50 && starts <= 52, `${starts} in ten seconds`);
  });

  test('in any period of t seconds at most rate × (t + 0.1) + 1 runs start', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 60 });
    fc.assert(
      fc.property(rates, gaps, (rate, waits) => {
        let now = NOW;
        const starts = startsAt(rate, [now, ...waits.map((ms) => (now += ms))]);
        const stepMs = stepOf(rate) / 1000;
        for (let first = 0; first < starts.length; first += 1 + Math.floor(starts.length / 50)) {
          const took = (starts.at(-1) ?? 0) - (starts[first] ?? 0);
          const most = Math.floor((took + 100) / stepMs) + 1;
          assert.ok(starts.length - first <= most, `${starts.length - first} in ${took} ms`);
        }
      }),
    );
  });

  test('a busy queue loses nothing of its rate to looks that are up to a tenth of a second late', () => {
    const lateness = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 20, maxLength: 40 });
    fc.assert(
      fc.property(lateness, (late) => {
        let spentUntil: number | null = null;
        let now = NOW;
        for (const ms of late) {
          const allowance = allowAt(FIVE, spentUntil, now);
          assert.ok(allowance.slots >= 1);
          spentUntil = allowance.from + allowance.slots * allowance.stepUs;
          now = Math.max(now, nextStart(allowance, allowance.slots) + ms);
        }
        assert.equal(spentUntil, (NOW + late.length * 200) * 1000);
      }),
    );
  });
});
