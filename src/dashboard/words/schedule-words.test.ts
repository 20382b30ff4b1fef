import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { describeExpression, readSchedule, type ScheduleReading } from './schedule-words.ts';

const NOVEMBER = Date.parse('2026-11-21T09:00:00Z');

function right(reading: ScheduleReading) {
  if (reading.kind !== 'right') throw new Error(JSON.stringify(reading));
  return reading;
}

describe('reading a schedule while it is typed', () => {
  test('a typed schedule is shown in words with its next ten runs', () => {
    const { words, runs, warnings } = right(readSchedule('0 6 * * MON-FRI', NOVEMBER, null));
    assert.equal(words, 'At 06:00, Monday through Friday');
    assert.equal(runs.length, 10);
    assert.equal(new Date(runs[0] ?? 0).toISOString(), '2026-11-23T06:00:00.000Z');
    assert.deepEqual(warnings, []);
  });
  test('a schedule with both day fields set warns that either of them matches', () => {
    assert.match(String(right(readSchedule('0 0 1 * MON', NOVEMBER, null)).warnings), /either/);
    assert.deepEqual(right(readSchedule('0 0 ? * MON', NOVEMBER, null)).warnings, []);
  });
  test('a schedule warns viewers with daylight saving time of the shift', () => {
    const { warnings } = right(readSchedule('0 6 * * *', NOVEMBER, 'Europe/Berlin'));
    assert.match(String(warnings), /From 28 Mar on it runs an hour later/);
  });
  test('no warning of summer time if no hour is fixed or the zone has none', () => {
    for (const [expression, zone] of [
      ['*/5 * * * *', 'Europe/Berlin'],
      ['0 */2 * * *', 'Europe/Berlin'],
      ['0 6 * * *', 'UTC'],
      ['0 6 * * *', 'Asia/Tokyo'],
    ] as const)
      assert.deepEqual(right(readSchedule(expression, NOVEMBER, zone)).warnings, [], expression);
  });
  test('an invalid schedule is explained: seconds, unknown shortcuts, impossible days', () => {
    const textOf = (expression: string) => {
      const reading = readSchedule(expression, NOVEMBER, null);
      return reading.kind === 'wrong' ? reading.text : reading.kind;
    };
    assert.match(textOf('0 0 6 * * *'), /six fields/);
    assert.match(textOf('@reboot'), /shortcuts are @hourly/);
    assert.match(textOf('0 0 31 2 *'), /never runs/);
    assert.match(textOf('17-9 * * * *'), /can’t be read/);
    assert.equal(textOf('  '), 'empty');
  });
  test('reading a schedule never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('0159*/,-?LW# @AMON')) }),
        (text) => {
          readSchedule(text, NOVEMBER, 'Europe/Berlin');
          describeExpression(text);
        },
      ),
    );
  });
});
