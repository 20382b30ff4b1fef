import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { DAY_MS } from '../base/instant.ts';
import { anyText } from '#testing/any-text';
import { threadMs } from '#testing/spent-time';
import cases from '../../../spec/cases/cron.json' with { type: 'json' };
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

describe('the table of expressions', () => {
  for (const { expression, from, expected, next3 } of cases) {
    test(`${JSON.stringify(expression)} from ${from}: ${expected}`, () => {
      if (next3 === undefined) {
        assert.equal(parseCronExpression(expression), expected);
        return;
      }
      assert.equal(next3[0], expected);
      assert.deepEqual(runsAfter(expression, from, 3), next3);
    });
  }
});

describe('valid expressions', () => {
  const same: [written: string, plain: string][] = [
    ['@HOURLY', '0 * * * *'],
    [' \t@Weekly\n', '0 0 * * 0'],
    ['\t0\v0\f*\r*\n*', '0 0 * * *'],
    ['? ? ? ? ?', '* * * * *'],
    ['?/15 * ? * *', '0,15,30,45 * * * *'],
    ['007 * * * *', '7 * * * *'],
    ['*/60 * * * *', '0 * * * *'],
    ['0 0 */31 */12 *', '0 0 1 1 *'],
    ['0 0 * * SAT-SUN', '0 0 * * 0,6'],
    ['0 0 * * 6-0', '0 0 * * 0,6'],
    ['0 0 * * fri-SUN/2', '0 0 * * 0,5'],
    ['0 0 * * SUN-TUE', '0 0 * * 0,1,2'],
    ['0 0 * * MON-MON', '0 0 * * 1'],
    ['0 0 * * SUN-SUN', '0 0 * * 0'],
    ['0 0 * * 0-7/7', '0 0 * * 0'],
    ['0 0 * * 7#2', '0 0 * * sun#2'],
    ['0 0 * * FRI#l', '0 0 * * 5L'],
    ['0 0 lw,1W * *', '0 0 1w,LW * *'],
  ];
  for (const [written, plain] of same) {
    test(`the expression ${JSON.stringify(written)} means ${JSON.stringify(plain)}`, () => {
      assert.deepEqual(
        runsAfter(written, '2026-06-15T10:30:00Z', 40),
        runsAfter(plain, '2026-06-15T10:30:00Z', 40),
      );
    });
  }

  test('a list of 255 characters parses, and an endless one is refused unread', () => {
    const longest = `${'0,'.repeat(123)}0 * * * *`;
    assert.equal(longest.length, 255);
    assert.deepEqual(runsAfter(longest, '2026-01-01T00:00:00Z', 1), ['2026-01-01T01:00:00Z']);
    assert.equal(parseCronExpression(`${'0,'.repeat(500_000)}0 * * * *`), 'invalid');
  });
});

describe('invalid expressions', () => {
  const invalid: Record<string, string[][]> = {
    'no fields, or a shortcut that is none of the five': [
      ['', ' ', '@', '@reboot', '@annually', '@midnight', '@daily * * * *', '* * * * @daily'],
    ],
    'a step on a single value': [['0/15 * * * *', '* * * * MON/2', '0 0 L/2 * *', '0 0 15W/2 * *']],
    'a step of nothing, of none, or below it': [
      ['*/ * * * *', '*/0 * * * *', '0-10/0 * * * *', '*/-1 * * * *'],
    ],
    'a step longer than the field': [
      ['*/61 * * * *', '* */25 * * *', '* * */32 * *', '* * * */13 *', '* * * * */8'],
      ['* * * * 1-5/8', '*/99999999999999999999 * * * *'],
    ],
    'signs, exponents, points and other digits': [
      ['+5 * * * *', '-5 * * * *', '1-+5 * * * *', '1e1 * * * *', '5. * * * *', '1_0 * * * *'],
      ['*/５ * * * *', '٥ * * * *'],
    ],
    'letters that only look or fold alike': [
      ['0 0 * * \u017fun', '0 0 * * fr\u0131', '0\u00a00 * * *', '0 0 * * *\0'],
    ],
    'empty entries and broken ranges': [
      [', * * * *', '1, * * * *', '** * * * *', '*5 * * * *', '*-5 * * * *', '5-* * * * *'],
    ],
    'values outside the field': [
      ['0 0 0 * *', '0 0 * 0 *', '0 0 * * 8', '0 0 32W * *', '0 0 0W * *'],
    ],
    'ranges that run backwards without ending in Sunday': [
      ['0 0 * * 7-3', '0 0 * * SAT-MON', '0 0 31-1 * *', '0 22-6 * * *'],
    ],
    'an nth weekday that is no single weekday, or no first to fifth': [
      ['0 0 * * 1#0', '0 0 * * 1#', '0 0 * * #1', '0 0 * * 8#1', '0 0 * * 1#1#2', '0 0 * * 1#01'],
      ['0 0 * * 1-5#1', '0 0 * * *#1', '0 0 * * 1#2L', '0 0 * * 1-5L', '0 0 * * *L', '0 0 * * L'],
    ],
    'W and L in other shapes or fields': [
      ['0 0 1-5W * *', '0 0 *W * *', '0 0 WL * *', '0 0 L-3 * *', '0 0 5L * *', '0 0 1#1 * *'],
      ['0 0 * 1L *', '0 L * * *', '0 0 * * 1W'],
    ],
    'anything else in the text': [['TZ=UTC * * * * *', '0;0 * * * *', '* * * * * #']],
  };
  for (const [fault, expressions] of Object.entries(invalid)) {
    test(`a cron expression with ${fault} is invalid`, () => {
      for (const expression of expressions.flat()) {
        assert.equal(parseCronExpression(expression), 'invalid', JSON.stringify(expression));
      }
    });
  }
});

describe('days that random expressions seldom hit', () => {
  const rules: [rule: string, expression: string, from: string, days: string][] = [
    ['1W never leaves its month', '0 0 1W 8 *', '2026-01-01', '2026-08-03'],
    ['31W never leaves its month', '0 0 31W 5 *', '2026-01-01', '2026-05-29'],
    ['31W skips months of 30 days', '0 0 31W * *', '2026-04-01', '2026-05-29 2026-07-31'],
    ['a fifth Sunday in February after 2100', '59 23 * 2 0#5', '2088-03-01', '2128-02-29'],
  ];
  for (const [rule, expression, from, days] of rules) {
    test(`${rule}: ${expression}`, () => {
      const runs = runsAfter(expression, `${from}T00:00:00Z`, days.split(' ').length);
      assert.equal(runs.map((run) => run.slice(0, 10)).join(' '), days);
    });
  }
});

describe('instants', () => {
  test('a run at the very instant is not the next one; one a millisecond later is', () => {
    const at = Date.parse('2026-06-15T10:30:00Z');
    assert.equal(scheduleOf('30 10 15 6 *').nextAfter(at - 1), at);
    assert.equal(scheduleOf('30 10 15 6 *').nextAfter(at), Date.parse('2027-06-15T10:30:00Z'));
  });
  test('instants before 1970 and in the first century count like any other', () => {
    assert.deepEqual(runsAfter('0 0 29 2 *', '1968-02-29T00:00:00Z', 1), ['1972-02-29T00:00:00Z']);
    assert.deepEqual(runsAfter('0 0 1 1 *', '0031-05-01T00:00:00Z', 1), ['0032-01-01T00:00:00Z']);
  });
  test('after an invalid instant or the end of time there is no next run', () => {
    for (const ms of [NaN, Infinity, -Infinity, 8.64e15, -8.64e15, 1e300]) {
      assert.equal(scheduleOf('* * * * *').nextAfter(ms), null);
    }
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

describe('the same schedule', () => {
  const same = [
    ['*/15 * * * *', '0,15,30,45 * * * *'],
    ['@daily', ' 0  0 * * ?'],
    ['0 6 * JAN SUN', '0 6 * 1 7'],
    ['0 6 * * MON-FRI', '0 6 * * 5,1-4'],
    ['0 6 15W,L * *', '0 6 l,15w * *'],
    ['0 6 * * 5#L', '0 6 * * FRIL'],
  ] as const;
  for (const [one, other] of same)
    test(`the schedules ${one} and ${other} are the same`, () =>
      assert.equal(isSameSchedule(one, other), true));

  const different = [
    ['0 6 * * *', '0 7 * * *'],
    ['0 6 15 * *', '0 6 15W * *'],
    ['0 6 * * 5L', '0 6 * * 5#4'],
    // A restricted day of the month is enough for a run beside a day of the week (§2.8); `*` is none.
    ['0 6 1-31 * MON', '0 6 * * MON'],
    ['never', 'never'],
  ] as const;
  for (const [one, other] of different)
    test(`${one} is not ${other}`, () => assert.equal(isSameSchedule(one, other), false));
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
