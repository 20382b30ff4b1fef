import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { DAY_MS } from '../base/instant.ts';
import { anyText } from '#testing/any-text';
import { threadMs } from '#testing/spent-time';
import { isSameSchedule } from './cron-fields.ts';
import { type CronSchedule, parseCronExpression, upcomingRuns } from './cron.ts';

function writeInstant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function scheduleOf(expression: string): CronSchedule {
  const parsed = parseCronExpression(expression);
  assert.ok(
    typeof parsed !== 'string',
    `${JSON.stringify(expression)} is ${JSON.stringify(parsed)}`,
  );
  return parsed;
}

function runsAfter(expression: string, from: string, count: number): string[] {
  return upcomingRuns(scheduleOf(expression), Date.parse(from), count).map(writeInstant);
}

/** By hand: the reference below could share a misreading of §2.8 with the code. */
const TIMES: [expression: string, from: string, runs: string][] = [
  ['@hourly', '2024-02-28T23:59', '2024-02-29T00:00 2024-02-29T01:00'],
  ['@daily', '2026-06-15T10:30', '2026-06-16T00:00 2026-06-17T00:00'],
  ['@weekly', '2024-12-31T23:59', '2025-01-05T00:00 2025-01-12T00:00'],
  ['@monthly', '2026-03-01T00:00', '2026-04-01T00:00 2026-05-01T00:00'],
  ['@yearly', '2026-06-15T10:30', '2027-01-01T00:00 2028-01-01T00:00'],
  ['*/59 * * * *', '2026-06-15T10:30', '2026-06-15T10:59 2026-06-15T11:00'],
  ['4-59/2 9-17 * * *', '2026-06-15T17:57', '2026-06-15T17:58 2026-06-16T09:04'],
  ['0 9 * Jan,JUL mon-FRI', '2026-06-15T10:30', '2026-07-01T09:00 2026-07-02T09:00'],
  ['0 0 * * 7', '2026-06-15T00:00', '2026-06-21T00:00 2026-06-28T00:00'],
  ['0 0 * * 5-7', '2026-06-21T00:00', '2026-06-26T00:00 2026-06-27T00:00 2026-06-28T00:00'],
  ['0 0 13 * FRI', '2026-02-01T00:00', '2026-02-06T00:00 2026-02-13T00:00 2026-02-20T00:00'],
  ['0 0 */5 Oct Mon', '2012-07-09T23:35', '2012-10-01T00:00 2012-10-06T00:00 2012-10-08T00:00'],
  ['0 0 29 2 *', '2096-03-01T00:00', '2104-02-29T00:00 2108-02-29T00:00'],
  ['0 0 29 2 1', '2026-06-15T00:00', '2027-02-01T00:00 2027-02-08T00:00'],
  ['0 0 31 * *', '2026-03-31T00:00', '2026-05-31T00:00 2026-07-31T00:00'],
  ['0 0 1W 8 *', '2026-01-01T00:00', '2026-08-03T00:00'],
  ['0 0 31W * *', '2026-04-01T00:00', '2026-05-29T00:00 2026-07-31T00:00'],
  ['59 23 * 2 0#5', '2088-03-01T00:00', '2128-02-29T23:59'],
];
const NEVER = ['0 0 31 2 *', '0 0 31 APR-JUN/2 *', '0 0 31 2,4,6,9,11 *'];

describe('the table of expressions', () => {
  for (const [expression, from, runs] of TIMES)
    test(`${expression} after ${from} runs at ${runs}`, () => {
      const expected = runs.split(' ').map((run) => `${run}:00Z`);
      assert.deepEqual(runsAfter(expression, `${from}Z`, expected.length), expected);
    });

  test('an expression of days that no month has never runs', () => {
    for (const expression of NEVER) assert.equal(parseCronExpression(expression), 'never');
  });
});

describe('spellings', () => {
  const same: [written: string, plain: string][] = [
    [' \t@Weekly\n', '0 0 * * 0'],
    ['\t0\v0\f*\r*\n*', '0 0 * * *'],
    ['?/15 * ? * *', '0,15,30,45 * * * *'],
    ['007 0,0 * * *', '7 0 * * *'],
    ['0 0 * * 6-0', '0 0 * * 0,6'],
    ['0 0 * * SUN-TUE', '0 0 * * 0,1,2'],
    ['0 0 * * fri-SUN/2', '0 0 * * 0,5'],
    ['0 0 lw,1W * *', '0 0 1w,LW * *'],
    ['0 6 * JAN 5#L', '0 6 * 1 FRIL'],
  ];
  for (const [written, plain] of same) {
    test(`the expression ${JSON.stringify(written)} means ${JSON.stringify(plain)}`, () => {
      const from = '2026-06-15T10:30:00Z';
      assert.deepEqual(runsAfter(written, from, 40), runsAfter(plain, from, 40));
      assert.equal(isSameSchedule(written, plain), true);
    });
  }

  test('schedules that differ in a time, a day or a restriction are not the same', () => {
    for (const [one, other] of [
      ['0 6 * * *', '0 7 * * *'],
      ['0 6 15 * *', '0 6 15W * *'],
      ['0 6 * * 5L', '0 6 * * 5#4'],
      // A restricted day of the month is enough for a run beside a day of the week (§2.8); `*` is none.
      ['0 6 1-31 * MON', '0 6 * * MON'],
      ['never', 'never'],
    ] as const)
      assert.equal(isSameSchedule(one, other), false, one);
  });

  test('a list of 255 characters parses, and an endless one is refused unread', () => {
    const longest = `${'0,'.repeat(123)}0 * * * *`;
    assert.equal(longest.length, 255);
    assert.deepEqual(runsAfter(longest, '2026-01-01T00:00:00Z', 1), ['2026-01-01T01:00:00Z']);
    assert.equal(parseCronExpression(`${'0,'.repeat(500_000)}0 * * * *`), 'invalid');
  });
});

describe('invalid expressions', () => {
  const invalid: Record<string, string[][]> = {
    'another number of fields, or a shortcut that is none of the five': [
      ['', ' ', '* * *', '* * * *', '* * * * * *', '* * * * * 2014', '* * * * * #'],
      ['@', '@reboot', '@annually', '@midnight', '@daily * * * *', '* * * * @daily', '@ daily'],
    ],
    'a step on a single value, or a step in another place': [
      ['0/15 * * * *', '* * * * MON/2', '0 0 L/2 * *', '0 0 15W/2 * *', '*//2 * * * *'],
      ['0 5/5/5 * * *', '/5 * * * *', '5/* * * * *'],
    ],
    'a step of nothing, below 1, or longer than the field': [
      ['*/ * * * *', '*/0 * * * *', '0-10/0 * * * *', '*/-1 * * * *', '*/61 * * * *'],
      ['* */25 * * *', '* * */32 * *', '* * * */13 *', '* * * * */8', '* * * * 1-5/8'],
      ['*/99999999999999999999 * * * *'],
    ],
    'signs, exponents, points and other digits': [
      ['+5 * * * *', '-5 * * * *', '1-+5 * * * *', '1e1 * * * *', '5. * * * *', '1_0 * * * *'],
      ['1.5 * * * *', '0x10 * * * *', '*/５ * * * *', '٥ * * * *'],
    ],
    'letters that only look or fold alike': [
      ['0 0 * * \u017fun', '0 0 * * fr\u0131', '@wee\u212aly', '0\u00a00 * * *', '0 0 * * *\0'],
    ],
    'names in full, cut or in another field': [
      ['0 0 1 january *', '0 0 1 JA *', '0 0 1 SEPT *', '0 0 MON * *', '0 0 JAN * *', 'H * * * *'],
    ],
    'empty entries and broken ranges': [
      [', * * * *', '1, * * * *', '1,,2 * * * *', '** * * * *', '*5 * * * *', '*-5 * * * *'],
      ['5-* * * * *', '1- * * * *', '1-2-3 * * * *', '0 0 * * -mon', '0 0 1 jan-x *'],
    ],
    'values outside the field': [
      ['60 * * * *', '0 24 * * *', '0 0 0 * *', '0 0 32 * *', '0 0 * 0 *', '0 0 * 13 *'],
      ['0 0 * * 8', '0-60 * * * *', '0 0 0-5 * *', '0 0 32W * *', '0 0 0W * *'],
    ],
    'ranges that run backwards without ending in Sunday': [
      ['0 0 * * 7-3', '0 0 * * SAT-MON', '0 0 31-1 * *', '0 22-6 * * *', '0 0 1 11-2 *'],
    ],
    'an nth weekday that is no single weekday, or no first to fifth': [
      ['0 0 * * 1#0', '0 0 * * 5#6', '0 0 * * 1#', '0 0 * * #1', '0 0 * * 8#1', '0 0 * * 1#01'],
      ['0 0 * * 1#1#2', '0 0 * * 1-5#1', '0 0 * * *#1', '0 0 * * 1#2L', '0 0 * * *L', '0 0 * * L'],
    ],
    'W and L in other shapes or fields': [
      ['0 0 1-5W * *', '0 0 *W * *', '0 0 W * *', '0 0 WL * *', '0 0 L-3 * *', '0 0 5L * *'],
      ['0 0 1#1 * *', '0 0 * 1L *', '0 L * * *', '0 0 * * 1W'],
    ],
    'anything else in the text': [['TZ=UTC * * * * *', '0;0 * * * *', "0 0 * * *'--"]],
  };
  for (const [fault, expressions] of Object.entries(invalid)) {
    test(`a cron expression with ${fault} is invalid`, () => {
      for (const expression of expressions.flat()) {
        assert.equal(parseCronExpression(expression), 'invalid', JSON.stringify(expression));
      }
    });
  }
});

describe('instants', () => {
  test('a run at the very instant is not the next one; one a millisecond later is', () => {
    const at = Date.parse('2026-06-15T10:30:00Z');
    assert.equal(scheduleOf('30 10 15 6 *').nextAfter(at - 1), at);
    assert.equal(scheduleOf('30 10 15 6 *').nextAfter(at), Date.parse('2027-06-15T10:30:00Z'));
  });

  test('instants before 1970 count, and after the end of time there is no next run', () => {
    assert.deepEqual(runsAfter('0 0 29 2 *', '1968-02-29T00:00:00Z', 1), ['1972-02-29T00:00:00Z']);
    assert.deepEqual(runsAfter('0 0 1 1 *', '0031-05-01T00:00:00Z', 1), ['0032-01-01T00:00:00Z']);
    for (const ms of [NaN, Infinity, -Infinity, 8.64e15, -8.64e15, 1e300])
      assert.equal(scheduleOf('* * * * *').nextAfter(ms), null);
    assert.deepEqual(upcomingRuns(scheduleOf('0 0 1 1 *'), 8.64e15 - 1, 3), []);
  });
});

// The reference: random entries as text, matched minute by minute with nothing but the calendar of Date.

interface Field {
  min: number;
  max: number;
  names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: ',JAN,Feb,mar,APR,May,jun,JUL,Aug,sep,OCT,Nov,dec'.split(',') },
  { min: 0, max: 7, names: ['SUN', 'Mon', 'tue', 'WED', 'Thu', 'fri', 'SAT', 'Sun'] },
];

function anyField({ min, max, names }: Field, at: number): fc.Arbitrary<string> {
  const number = fc.integer({ min, max });
  const name = number.map((value) => names[value] ?? String(value));
  const value = fc.oneof(number.map(String), name);
  const step = fc.integer({ min: 1, max: at === 4 ? 7 : max - min + 1 }).map((each) => `/${each}`);
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  // A range from Sunday to Sunday is a week only if its end is written as 7.
  const namedRange = range.map((written) =>
    written.startsWith('0-') ? written : written.replaceAll(/\d+/g, (n) => names[Number(n)] ?? n),
  );
  const spans = fc.oneof(fc.constant('*'), range, namedRange);
  const stepped = fc.tuple(spans, step).map((parts) => parts.join(''));
  const ordinal = fc.integer({ min: 1, max: 5 });
  const special: Record<number, fc.Arbitrary<string>[]> = {
    2: [fc.constantFrom('L', 'l', 'LW', 'lw'), number.map((day) => `${day}W`)],
    4: [
      fc.tuple(value, ordinal).map((parts) => parts.join('#')),
      fc.tuple(value, fc.constantFrom('L', '#l')).map((parts) => parts.join('')),
    ],
  };
  const entry = fc.oneof(value, spans, stepped, ...(special[at] ?? []));
  const list = fc.array(entry, { minLength: 1, maxLength: 3 }).map((entries) => entries.join());
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('*', '?') },
    { weight: 3, arbitrary: list },
  );
}

const anyExpression = fc.tuple(...FIELDS.map(anyField)).map((fields) => fields.join(' '));

/** Of a month in UTC, the weekdays from Monday to Friday. */
function listWorkdays(year: number, month: number): number[] {
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const days = Array.from({ length }, (_, n) => n + 1);
  return days.filter((day) => new Date(Date.UTC(year, month, day)).getUTCDay() % 6 !== 0);
}

function entryMatches(entry: string, at: number, date: Date): boolean {
  const { min, max } = FIELDS[at] ?? assert.fail();
  const [minute, hour, day] = [date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate()];
  const [year, month, weekday] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDay()];
  const value = [minute, hour, day, month + 1, weekday][at];
  const workdays = () => listWorkdays(year, month);
  const daysInMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  if (/^l$/i.test(entry)) return day === daysInMonth;
  if (/^lw$/i.test(entry)) return day === workdays().at(-1);
  const number = Number.parseInt(entry, 10);
  if (entry.endsWith('W')) {
    const nearest = workdays().toSorted((a, b) => Math.abs(a - number) - Math.abs(b - number))[0];
    return number <= daysInMonth && day === nearest;
  }
  if (/l$/i.test(entry)) return weekday === number % 7 && day > daysInMonth - 7;
  const [, nth] = entry.split('#').map(Number);
  if (nth !== undefined) return weekday === number % 7 && Math.ceil(day / 7) === nth;
  const [span = '', step = '1'] = entry.replaceAll('?', '*').split('/');
  const [from = 0, to = from] = span === '*' ? [min, max] : span.split('-').map(Number);
  const end = at === 4 && to === 0 && from > 0 ? 7 : to;
  for (let each = from; each <= end; each += Number(step))
    if (value === (at === 4 ? each % 7 : each)) return true;
  return false;
}

function writeNumbers(field: string, at: number): string {
  const names = FIELDS[at]?.names ?? [];
  return field.replaceAll(/[a-z]{3}/gi, (name) => String(names.indexOf(name)));
}

/** The first match after an instant, looking at every minute of every matching day; null if none before `endMs`. */
function findSlowly(expression: string, afterMs: number, endMs: number): number | null {
  const fields = expression.split(' ').map(writeNumbers);
  const matches = (at: number, date: Date) =>
    fields[at]?.split(',').some((entry) => entryMatches(entry, at, date));
  const isOpen = [2, 4].some((at) => ['*', '?'].includes(fields[at] ?? ''));
  const first = (Math.floor(afterMs / 60_000) + 1) * 60_000;
  for (let day = Math.floor(first / DAY_MS) * DAY_MS; day < endMs; day += DAY_MS) {
    const date = new Date(day);
    if (!matches(3, date)) continue;
    const byDay = [2, 4].filter((at) => matches(at, date));
    if (byDay.length < (isOpen ? 2 : 1)) continue;
    for (let at = Math.max(day, first); at < day + DAY_MS; at += 60_000)
      if (matches(1, new Date(at)) && matches(0, new Date(at))) return at;
  }
  return null;
}

const anyInstant = fc.oneof(
  fc.integer({ min: Date.UTC(1999, 0, 1), max: Date.UTC(2120, 0, 1) }),
  // Starts near the ends of months, where a search easily miscounts days.
  fc
    .tuple(
      fc.integer({ min: 2015, max: 2105 }),
      fc.integer({ min: 0, max: 11 }),
      fc.integer({ min: -2_880, max: 2_880 }),
    )
    .map(([year, month, minutes]) => Date.UTC(year, month, 1) + minutes * 60_000),
);

describe('against a minute-by-minute reference', () => {
  test('the next run is the first minute that matches', () => {
    fc.assert(
      fc.property(anyExpression, anyInstant, (expression, from) => {
        const schedule = parseCronExpression(expression);
        assert.notEqual(schedule, 'invalid');
        // Long enough to include a 29 February on a given weekday, even across a century without a leap year.
        const endMs = from + 41 * 366 * DAY_MS;
        const expected = findSlowly(expression, from, endMs);
        const found = typeof schedule === 'string' ? null : schedule.nextAfter(from);
        assert.equal(found, expected);
        if (expected === null) assert.equal(schedule, 'never');
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('hostile text', () => {
  const characters = '0123456789*?,/-#LWlw@ \t+.eE\0５'.split('');
  const nearlyCron = fc.string({ unit: fc.constantFrom(...characters), maxLength: 300 });
  const hostileText = fc.oneof(anyText({ maxLength: 300 }), nearlyCron);

  test('any text is read as a cron expression or rejected, without an error', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const parsed = parseCronExpression(text);
        if (typeof parsed === 'string') return;
        const next = parsed.nextAfter(0);
        assert.ok(next !== null && next > 0 && next % 60_000 === 0);
      }),
      { numRuns: 3_000 },
    );
  });

  test('the next run of the hardest cron expressions is found at once', () => {
    const hardest = [
      '0 0 31 2,4,6,9,11 *',
      '0 0 30W,31W,30-31 2 *',
      '59 23 29 2 *',
      '59 23 * 2 0#5',
      `${'*,'.repeat(123)}* * * * *`,
      `0 0 ${'31W,'.repeat(60)}31 2 *`,
      `${'9'.repeat(247)} * * * *`,
      `${'*/'.repeat(123)} * * * *`,
    ];
    for (const expression of hardest) {
      const from = threadMs();
      const parsed = parseCronExpression(expression);
      if (typeof parsed !== 'string') upcomingRuns(parsed, Date.UTC(2076, 2, 1), 2);
      // It takes a few milliseconds at most; the rest is tolerance for a slow machine.
      assert.ok(threadMs() - from < 200, expression);
    }
  });
});
