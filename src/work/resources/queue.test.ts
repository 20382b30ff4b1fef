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

describe("a change to a queue's settings", () => {
  const cases: [content: string, given: object, expected: object][] = [
    ['nothing', {}, {}],
    [
      'every setting',
      {
        timeout_seconds: '300',
        retry_schedule: '1m, 30m,3h',
        retries_enabled: '1',
        concurrency_limit: 7,
        rate: '10/s',
        assertions: '[{"kind":"body_contains","text":"fine"}]',
        email_alerts: true,
        dead_letter_days: 365,
        is_paused: false,
      },
      {
        timeoutSeconds: 300,
        retrySchedule: [60, 1800, 10_800],
        retriesEnabled: true,
        concurrencyLimit: 7,
        rate: { count: 10, per: 'second' },
        assertions: [{ kind: 'body_contains', text: 'fine' }],
        emailAlerts: true,
        deadLetterDays: 365,
        isPaused: false,
      },
    ],
    [
      'the longest schedule',
      { retry_schedule: '24h,'.repeat(9) + '1s' },
      { retrySchedule: [...Array<number>(9).fill(86_400), 1] },
    ],
    ['an empty schedule', { retry_schedule: '' }, { retrySchedule: [] }],
    ['no concurrency limit', { concurrency_limit: 'none' }, { concurrencyLimit: null }],
    ['a blank concurrency limit', { concurrency_limit: ' ' }, { concurrencyLimit: null }],
    ['no rate', { rate: 'none' }, { rate: null }],
    ['a blank rate', { rate: '' }, { rate: null }],
    ['a rate of no unit', { rate: '10' }, { rate: [RATE_TEXT] }],
    ['a rate that is a number', { rate: 10 }, { rate: [RATE_TEXT] }],
    ['no assertions', { assertions: [] }, { assertions: [] }],
    ['blank assertions', { assertions: '' }, { assertions: [] }],
    ['a blank timeout', { timeout_seconds: '' }, {}],
    ['a wait of 25 hours', { retry_schedule: '25h' }, { retry_schedule: [SCHEDULE_TEXT] }],
    ['a wait of nothing', { retry_schedule: '0s' }, { retry_schedule: [SCHEDULE_TEXT] }],
    [
      'eleven waits',
      { retry_schedule: '1s,'.repeat(10) + '1s' },
      { retry_schedule: [SCHEDULE_TEXT] },
    ],
    ['a schedule that is no text', { retry_schedule: [60] }, { retry_schedule: [SCHEDULE_TEXT] }],
    ['the limit 0', { concurrency_limit: 0 }, { concurrency_limit: [CONCURRENCY_TEXT] }],
    [
      'retention of 0 days',
      { dead_letter_days: 0 },
      { dead_letter_days: ['Dead letter retention must be from 1 to 365 days.'] },
    ],
    [
      'retention of 366 days',
      { dead_letter_days: 366 },
      { dead_letter_days: ['Dead letter retention must be from 1 to 365 days.'] },
    ],
    [
      'assertions that are no JSON',
      { assertions: '[{' },
      { assertions: ['Assertions must be a list written as JSON.'] },
    ],
    [
      'assertions that are no list',
      { assertions: '{}' },
      { assertions: ['Assertions must be a list.'] },
    ],
  ];
  for (const [content, given, expected] of cases) {
    test(`a queue change with ${content} is read`, () => assert.deepEqual(read(given), expected));
  }

  test('a change of queue settings reports every wrong field and changes nothing', () => {
    const reading = readChange(
      QUEUE,
      fieldsOf({ timeout_seconds: 0, dead_letter_days: 0, is_paused: true }),
    );
    assert.ok(!reading.ok);
    assert.deepEqual(
      reading.errors.map(([field]) => field),
      ['timeout_seconds', 'dead_letter_days'],
    );
  });
});

describe("a queue's name", () => {
  test('a queue name may have 255 characters of any kind', () => {
    const name = '🔔'.repeat(255);
    assert.deepEqual(readWhole(QUEUE_NAME, fieldsOf({ queue: name })), {
      ok: true,
      input: { name },
    });
  });

  for (const [name, message] of [
    ['', 'A queue name is required.'],
    [' ', 'A queue name is required.'],
    ['x'.repeat(256), 'The queue field must not be greater than 255 characters.'],
    ['a\0b', 'The queue field must be a string.'],
  ] as const) {
    test(`a queue name may not be ${JSON.stringify(name.slice(0, 10))}`, () => {
      const reading = readWhole(QUEUE_NAME, fieldsOf({ queue: name }));
      assert.deepEqual(reading, { ok: false, errors: [['queue', [message]]] });
    });
  }
});
