import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { type JobInput, readJobInput } from './job.ts';

const minimal = '"queue":"emails","url":"https://example.com/hook"';

function read(more = '') {
  return readJobInput(readTopLevelFields(`{${minimal}${more && ','}${more}}`) ?? new Map());
}

function accept(more = ''): JobInput {
  const reading = read(more);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.input;
}

function errorsOf(more: string) {
  const reading = read(more);
  return reading.ok ? {} : Object.fromEntries(reading.errors);
}

describe('reading a job', () => {
  test('takes the defaults of the table where a field is left out, null or blank', () => {
    const plain: JobInput = {
      queue: 'emails',
      url: 'https://example.com/hook',
      method: 'POST',
      headers: [],
      payloadJson: null,
      callbackUrl: null,
      delaySeconds: 0,
    };
    assert.deepEqual(accept(), plain);
    const blank = ['null', '""', '"  "'];
    for (const raw of blank) {
      const fields = ['method', 'headers', 'payload', 'callback_url', 'delay'];
      assert.deepEqual(accept(fields.map((field) => `"${field}":${raw}`).join()), plain);
    }
  });

  test('reports missing and failing fields in the order of the table', () => {
    const fields = readTopLevelFields('{"delay":-1,"callback_url":1,"payload":1,"method":"post"}');
    const reading = readJobInput(fields ?? new Map());
    assert.deepEqual(reading, {
      ok: false,
      errors: [
        ['queue', ['A queue name is required.']],
        ['url', ['A target URL is required.']],
        ['method', ['The method must be one of: GET, POST, PUT, PATCH, DELETE.']],
        ['payload', ['The payload field must be an array.']],
        ['callback_url', ['The callback url field must be a string.']],
        ['delay', ['The delay field must be at least 0.']],
      ],
    });
  });

  test('a queue name has at most 255 characters and must be text', () => {
    assert.equal(accept(`"queue":"${'é'.repeat(255)}"`).queue.length, 255);
    assert.deepEqual(errorsOf(`"queue":"${'é'.repeat(256)}"`), {
      queue: ['The queue field must not be greater than 255 characters.'],
    });
    assert.deepEqual(errorsOf('"queue":["a"]'), { queue: ['The queue field must be a string.'] });
    assert.deepEqual(errorsOf('"queue":"a\\u0000"'), {
      queue: ['The queue field must be a string.'],
    });
  });

  test('a payload is kept as written', () => {
    const raw = '{"b": 9007199254740993,\n"1": 1.0, "__proto__": "\\u00e9/", "b": 1e400}';
    assert.equal(accept(`"payload": ${raw} `).payloadJson, raw);
    assert.equal(accept('"payload":[ ]').payloadJson, '[ ]');
    assert.equal(accept('"payload":{}').payloadJson, '{}');
  });

  test('a payload that is text, a number or a boolean is rejected', () => {
    for (const raw of ['"text"', '"{}"', '5', 'true', 'false']) {
      assert.deepEqual(errorsOf(`"payload":${raw}`), {
        payload: ['The payload field must be an array.'],
      });
    }
  });

  test('a payload may be nested 512 levels deep and no deeper', () => {
    const nest = (levels: number) => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2);
    assert.equal(accept(`"payload":${nest(512)}`).payloadJson, nest(512));
    for (const levels of [514, 100_000]) {
      assert.deepEqual(errorsOf(`"payload":${nest(levels)}`), {
        payload: ['The payload field must not be nested deeper than 512 levels.'],
      });
    }
  });

  test('a delay is 0 to 86,400 seconds', () => {
    for (const raw of ['0', '"0"', '-0']) assert.equal(accept(`"delay":${raw}`).delaySeconds, 0);
    assert.equal(accept('"delay":"86400"').delaySeconds, 86_400);
    assert.deepEqual(errorsOf('"delay":86401'), {
      delay: ['The delay cannot exceed 86400 seconds (24 hours).'],
    });
    assert.deepEqual(errorsOf('"delay":-1'), { delay: ['The delay field must be at least 0.'] });
    for (const raw of ['1.5', '"1.5"', 'true', '"soon"', '[]']) {
      assert.deepEqual(errorsOf(`"delay":${raw}`), {
        delay: ['The delay field must be an integer.'],
      });
    }
  });

  test('settings of the queue cannot be set per job and are ignored', () => {
    assert.deepEqual(accept('"timeout_seconds":-5,"retries":"x","concurrency":true'), accept());
  });
});
