import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { QUEUE, QUEUE_NAME } from './queue.ts';
import { readChange, readWhole } from './resource.ts';

const fieldsOf = (given: object) => readTopLevelFields(JSON.stringify(given)) ?? new Map();

function read(given: object) {
  const reading = readChange(QUEUE, fieldsOf(given));
  return reading.ok ? reading.input : Object.fromEntries(reading.errors);
}

const SCHEDULE_TEXT =
  'The retry schedule must be up to 10 waits between 1 second and 24 hours, such as 1m, 30m, 3h.';
const CONCURRENCY_TEXT = 'The concurrency limit must be a whole number from 1 to 1000000, or none.';
const RATE_TEXT =
  'The rate must be a whole number from 1 to 1000000, per second, minute or hour, such as 10/second, or none.';
const RETENTION_TEXT = 'Dead letter retention must be from 1 to 365 days.';

describe("a change to a queue's settings", () => {
  test('a change has the settings that are given, in the form of each', () => {
    const given = {
      timeout_seconds: '300',
      retry_schedule: '1m, 30m,3h',
      retries_enabled: '1',
      concurrency_limit: 7,
      rate: '10/s',
      assertions: '[{"kind":"body_contains","text":"fine"}]',
      email_alerts: true,
      dead_letter_days: 365,
      is_paused: false,
    };
    assert.deepEqual(read(given), {
      timeoutSeconds: 300,
      retrySchedule: [60, 1800, 10_800],
      retriesEnabled: true,
      concurrencyLimit: 7,
      rate: { count: 10, per: 'second' },
      assertions: [{ kind: 'body_contains', text: 'fine' }],
      emailAlerts: true,
      deadLetterDays: 365,
      isPaused: false,
    });
    const longest = [...Array<number>(9).fill(86_400), 1];
    for (const [change, expected] of [
      [{}, {}],
      [{ retry_schedule: '24h,'.repeat(9) + '1s' }, { retrySchedule: longest }],
      [{ retry_schedule: '' }, { retrySchedule: [] }],
      [{ concurrency_limit: 'none' }, { concurrencyLimit: null }],
      [{ concurrency_limit: ' ' }, { concurrencyLimit: null }],
      [{ rate: 'none' }, { rate: null }],
      [{ rate: '' }, { rate: null }],
      [{ assertions: [] }, { assertions: [] }],
      [{ assertions: '' }, { assertions: [] }],
      [{ timeout_seconds: '' }, {}],
    ] as const)
      assert.deepEqual(read(change), expected, JSON.stringify(change));
  });

  test('a wrong setting is rejected with the values that are possible', () => {
    for (const [field, values, message] of [
      ['retry_schedule', ['25h', '0s', '1s,'.repeat(10) + '1s', [60]], SCHEDULE_TEXT],
      ['concurrency_limit', [0], CONCURRENCY_TEXT],
      ['rate', ['10', 10], RATE_TEXT],
      ['dead_letter_days', [0, 366], RETENTION_TEXT],
      ['assertions', ['[{'], 'Assertions must be a list written as JSON.'],
      ['assertions', ['{}'], 'Assertions must be a list.'],
    ] as const)
      for (const value of values)
        assert.deepEqual(read({ [field]: value }), { [field]: [message] });
    const several = read({ timeout_seconds: 0, dead_letter_days: 0, is_paused: true });
    assert.deepEqual(Object.keys(several), ['timeout_seconds', 'dead_letter_days']);
  });
});

test('a queue name has 1 to 255 characters, none of them NUL', () => {
  const readName = (queue: string) => readWhole(QUEUE_NAME, fieldsOf({ queue }));
  const name = '🔔'.repeat(255);
  assert.deepEqual(readName(name), { ok: true, input: { name } });
  for (const [wrong, message] of [
    ['', 'A queue name is required.'],
    [' ', 'A queue name is required.'],
    ['x'.repeat(256), 'The queue field must not be greater than 255 characters.'],
    ['a\0b', 'The queue field must be a string.'],
  ] as const)
    assert.deepEqual(readName(wrong), { ok: false, errors: [['queue', [message]]] });
});
