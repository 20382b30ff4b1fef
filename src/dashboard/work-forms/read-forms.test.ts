import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCronForm, readJobForm, readQueueForm } from './read-forms.ts';
import { createMask, MASK, NO_MASK } from '#domain/runs/masking';

function form(fields: Record<string, string | string[]>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value].flat()) data.append(name, each);
  return data;
}

const cron = {
  name: 'Close the month',
  url: 'https://a.example/close',
  cron_expression: '0 6 * * *',
  method: 'POST',
  timeout_seconds: '30',
  is_active: ['0', '1'],
};
const job = { queue: 'mail', url: 'https://a.example/send', method: 'POST', delay: '0' };

function errorsOf(reading: { ok: boolean; errors?: unknown }) {
  assert.equal(reading.ok, false);
  return reading.errors as Record<string, string[]>;
}

function inputOf<Input>(
  reading: { ok: true; input: Input } | { ok: false; errors: unknown },
): Input {
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  return reading.input;
}

describe('the form of a cron', () => {
  test('the form of a cron reads fields like the API', () => {
    const reading = readCronForm(
      form({
        ...cron,
        headers: 'X-B: 1\r\nX-A: two: three',
        payload: 'first\r\nsecond',
        alert_threshold: '2',
        tags: ' Nightly billing ',
        assertion_kind: ['json_path_equals', '', 'response_time_under'],
        assertion_path: ['data.ok', '', ''],
        assertion_value: ['true', '', '500'],
      }),
    );
    const input = inputOf(reading);
    assert.deepEqual(input.headers, [
      ['X-B', '1'],
      ['X-A', 'two: three'],
    ]);
    assert.equal(input.payload, 'first\nsecond');
    assert.equal(input.alertThreshold, 2);
    assert.equal(input.isActive, true);
    assert.deepEqual(input.tags, ['billing', 'nightly']);
    assert.deepEqual(input.assertions, [
      { kind: 'json_path_equals', path: 'data.ok', expected: 'true' },
      { kind: 'response_time_under', ms: 500 },
    ]);
  });
  test('a masked value stays the stored one; under another name it is refused, never sent', () => {
    const headers = [['Authorization', 'Bearer s3cret']] as const;
    const stored = { headers, texts: {}, mask: NO_MASK };
    const kept = readCronForm(form({ ...cron, headers: `Authorization: ${MASK}` }), stored);
    assert.deepEqual(inputOf(kept).headers, headers);
    const moved = readCronForm(form({ ...cron, headers: `X-Other: ${MASK}` }), stored);
    assert.ok('headers.X-Other' in errorsOf(moved));
  });
  test('masked fields keep their stored values, and a mask without one is refused', () => {
    const texts = { url: 'https://shop.test/?a=1&card=42', payload: '{"card": 4.0, "n": 1}' };
    const stored = { headers: [], texts, mask: createMask(['card']) };
    const given = { ...cron, url: `https://new.test/?card=${MASK}`, method: 'POST' };
    const payload = `{"n": 2, "card": "${MASK}"}`;
    const read = inputOf(readCronForm(form({ ...given, payload }), stored));
    assert.deepEqual(
      [read.url, read.payload],
      ['https://new.test/?card=42', '{"n": 2, "card": 4.0}'],
    );
    const twice = { ...given, payload: `[${payload},${payload}]` };
    assert.deepEqual(Object.keys(errorsOf(readCronForm(form(twice), stored))), ['payload']);
    assert.deepEqual(Object.keys(errorsOf(readCronForm(form(given)))), ['url']);
    const named = { ...cron, name: `Pay card=${MASK}` };
    assert.deepEqual(Object.keys(errorsOf(readCronForm(form(named), stored))), ['name']);
  });
  test('an assertion that can’t be read is refused', () => {
    const reading = readCronForm(
      form({
        ...cron,
        assertion_kind: 'response_time_under',
        assertion_path: '',
        assertion_value: 'fast',
      }),
    );
    assert.ok('assertions' in errorsOf(reading));
  });
});

describe('the form of a job', () => {
  test('the form of a job rejects a payload that is not a JSON object or list', () => {
    for (const payload of ['hello', '42', '"text"', '{"a":'])
      assert.match(
        String(errorsOf(readJobForm(form({ ...job, payload })))['payload']),
        /object or list/,
      );
  });
});

describe('the form of a queue', () => {
  const queue = {
    queue: 'mail',
    timeout_seconds: '10',
    retries_enabled: ['0', '1'],
    retry_schedule: '1m, 30m',
    concurrency_limit: '',
    rate: '30 per minute',
    email_alerts: '0',
    dead_letter_days: '14',
    tags: 'EU, mails',
  };
  test('the form of a queue can’t change its name', () => {
    assert.equal(inputOf(readQueueForm(form({ ...queue, queue: 'other' }), 'mail')).name, 'mail');
  });
});
