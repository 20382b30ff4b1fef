import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { readAskedWait } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 9, 5);
const DAY_MS = 86_400_000;

const asked = (value: string, responseStatus: number | null = 429, now = NOW) =>
  readAskedWait({ responseStatus, responseHeaders: [['Retry-After', value]] }, now);

describe('until when a target asks to be left alone (§3.4)', () => {
  const readable: [value: string, until: number][] = [
    ['120', NOW + 120_000],
    ['0120', NOW + 120_000],
    [' 120\t', NOW + 120_000],
    ['86400', NOW + DAY_MS],
    ['86401', NOW + DAY_MS],
    ['9'.repeat(400), NOW + DAY_MS],
    ['Fri, 20 Nov 2026 09:07:00 GMT', NOW + 120_000],
    ['Friday, 20-Nov-26 09:07:00 GMT', NOW + 120_000],
    ['Fri Nov 20 09:07:00 2026', NOW + 120_000],
    ['Mon, 20 Nov 2026 09:07:00 GMT', NOW + 120_000],
    ['Sat, 31 Dec 2050 00:00:00 GMT', NOW + DAY_MS],
  ];
  for (const [value, until] of readable) {
    test(`'${value.slice(0, 40)}' is read`, () => assert.equal(asked(value), until));
  }

  const nothing = [
    ['0', '', '-1', '+5', '1.5', '1e3', '0x10', '5 s', '5s', '10,20', '１０', 'soon', 'null'],
    [
      'Fri, 20 Nov 2026 09:05:00 GMT',
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
    ],
    ['Sun Nov  6 08:49:37 1994', 'Fri, 20 Nov 2026 09:07:00', 'Fri, 20 Nov 2026 09:07:00 CET'],
    ['Fri, 31 Nov 2026 09:07:00 GMT', 'Fri, 00 Nov 2026 09:07:00 GMT', '2026-11-20T09:07:00Z'],
    [
      'Fri, 20 Nov 2026 24:07:00 GMT',
      'Fri, 20 Nov 2026 09:60:00 GMT',
      'Fri, 20 Nov 2026 09:07:61 GMT',
    ],
    ['fri, 20 nov 2026 09:07:00 gmt', 'Fri, 20 Nov 12026 09:07:00 GMT', '120\n'.repeat(2)],
  ].flat();
  for (const value of nothing) {
    test(`'${value}' asks for nothing`, () => assert.equal(asked(value), null));
  }

  test('a leap second is a second of its own', () => {
    const before = Date.UTC(2026, 11, 31, 23, 59);
    assert.equal(asked('Thu, 31 Dec 2026 23:59:60 GMT', 429, before), Date.UTC(2027, 0, 1));
  });

  test('counts for 429 and 503, in any case, and of several the first', () => {
    assert.equal(asked('5', 503), NOW + 5000);
    for (const status of [200, 301, 404, 500, 502, null]) assert.equal(asked('5', status), null);
    const responseHeaders = [
      ['retry-AFTER', '7'],
      ['Retry-After', '90'],
    ] as const;
    assert.equal(readAskedWait({ responseStatus: 429, responseHeaders }, NOW), NOW + 7000);
    assert.equal(readAskedWait({ responseStatus: 429, responseHeaders: [] }, NOW), null);
  });

  test('whatever a target writes, it is later than now and at most a day', () => {
    const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString());
    const numbers = fc.integer().map(String);
    fc.assert(
      fc.property(fc.oneof(fc.string(), numbers, dates), (value) => {
        const until = asked(value);
        assert.ok(until === null || (until > NOW && until <= NOW + DAY_MS), String(until));
      }),
    );
  });

  test('a date within the day is read to the second, in each of its forms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_399 }), (seconds) => {
        const until = NOW + seconds * 1000;
        const [, day, month, year, time] = new Date(until).toUTCString().split(/[, ]+/);
        const forms = [
          `Sat, ${day} ${month} ${year} ${time} GMT`,
          `Saturday, ${day}-${month}-${year?.slice(2)} ${time} GMT`,
          `Sat ${month} ${day} ${time} ${year}`,
        ];
        for (const form of forms) assert.equal(asked(form), until);
      }),
    );
  });
});
