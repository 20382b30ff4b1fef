import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { type CronInput, readCronInput } from './cron.ts';

const minimal = {
  name: 'Nightly',
  url: 'https://example.com/hook',
  cron_expression: '*/5 * * * *',
};

function readText(body: string) {
  return readCronInput(readTopLevelFields(body) ?? new Map());
}

function read(more: object) {
  return readText(JSON.stringify({ ...minimal, ...more }));
}

function accept(more: object): CronInput {
  const reading = read(more);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.input;
}

function errorsOf(more: object) {
  const reading = read(more);
  return reading.ok ? {} : Object.fromEntries(reading.errors);
}

/** The errors of a body with one member written literally: JSON.stringify would normalize numbers. */
function errorsOfRaw(field: string, raw: string) {
  const reading = readText(`${JSON.stringify(minimal).slice(0, -1)},"${field}":${raw}}`);
  return reading.ok ? {} : Object.fromEntries(reading.errors);
}

describe('reading a cron', () => {
  test('takes the defaults of the table where a field is left out', () => {
    assert.deepEqual(accept({}), {
      name: 'Nightly',
      url: 'https://example.com/hook',
      cronExpression: '*/5 * * * *',
      method: 'GET',
      headers: [],
      payload: null,
      callbackUrl: null,
      timeoutSeconds: 30,
      alertThreshold: null,
      isActive: true,
    });
  });

  test('takes the defaults where a field is null or blank', () => {
    const names = ['method', 'headers', 'payload', 'callback_url', 'timeout_seconds'];
    const optional = [...names, 'alert_threshold', 'is_active'];
    for (const blank of [null, '', ' \t\n']) {
      const given = Object.fromEntries(optional.map((name) => [name, blank]));
      assert.deepEqual(accept(given), accept({}));
    }
  });

  test('carries every field as given, untrimmed', () => {
    const input = accept({
      name: '  Näme / ☃ ',
      url: 'HTTPS://Example.com/a%20b',
      cron_expression: ' @DAILY ',
      method: 'DELETE',
      headers: { 'x-b': ' 1 ', 'X-A': '', Host: 'h' },
      payload: ' {"a": 1} ',
      callback_url: 'http://example.com?x#y',
      timeout_seconds: 300,
      alert_threshold: 3,
      is_active: false,
    });
    assert.deepEqual(input, {
      name: '  Näme / ☃ ',
      url: 'HTTPS://Example.com/a%20b',
      cronExpression: ' @DAILY ',
      method: 'DELETE',
      headers: [
        ['x-b', ' 1 '],
        ['X-A', ''],
        ['Host', 'h'],
      ],
      payload: ' {"a": 1} ',
      callbackUrl: 'http://example.com?x#y',
      timeoutSeconds: 300,
      alertThreshold: 3,
      isActive: false,
    });
  });

  test('ignores fields outside the table, success_assertions among them', () => {
    assert.deepEqual(accept({ success_assertions: 5, delay: 'x', nonsense: {} }), accept({}));
  });

  test('reports all failing fields, in the order of the table', () => {
    const wrong = {
      is_active: 'yes',
      alert_threshold: 0,
      timeout_seconds: 0,
      callback_url: 'x',
      payload: [],
      headers: 'x',
      method: 'get',
      cron_expression: 'x',
      url: 'x',
      name: 1,
    };
    assert.deepEqual(Object.entries(errorsOf(wrong)), [
      ['name', ['The name field must be a string.']],
      ['url', ['The target URL must be a valid URL.']],
      ['cron_expression', ['The cron expression is not a valid cron expression.']],
      ['method', ['The method must be one of: GET, POST, PUT, PATCH, DELETE.']],
      ['headers', ['The headers field must be an array.']],
      ['payload', ['The payload field must be a string.']],
      ['callback_url', ['The callback url field must be a valid URL.']],
      ['timeout_seconds', ['Timeout must be at least 1 second.']],
      ['alert_threshold', ['The alert threshold must be 1, 2, or 3.']],
      ['is_active', ['The is active field must be true or false.']],
    ]);
  });

  test('a wrongly typed field reports just that', () => {
    for (const wrong of [5, true, false, {}, [], ['x'], 1.5]) {
      assert.deepEqual(
        errorsOf({ name: wrong, url: wrong, cron_expression: wrong, method: wrong }),
        {
          name: ['The name field must be a string.'],
          url: ['The url field must be a string.'],
          cron_expression: ['The cron expression field must be a string.'],
          method: ['The method field must be a string.'],
        },
      );
      assert.deepEqual(errorsOf({ callback_url: wrong, payload: wrong }), {
        payload: ['The payload field must be a string.'],
        callback_url: ['The callback url field must be a string.'],
      });
    }
  });

  test('a field reports every rule that it breaks', () => {
    assert.deepEqual(errorsOf({ url: 'x'.repeat(2049), callback_url: 'x'.repeat(2049) }), {
      url: [
        'The target URL must be a valid URL.',
        'The url field must not be greater than 2048 characters.',
      ],
      callback_url: [
        'The callback url field must be a valid URL.',
        'The callback url field must not be greater than 2048 characters.',
      ],
    });
  });

  test('lengths are counted in characters, not in units or bytes', () => {
    assert.deepEqual(errorsOf({ name: '😀'.repeat(255) }), {});
    assert.deepEqual(errorsOf({ name: '😀'.repeat(256) }), {
      name: ['The name field must not be greater than 255 characters.'],
    });
    const url = `https://example.com/${'😀'.repeat(2028)}`;
    assert.deepEqual(errorsOf({ url, callback_url: url }), {});
    assert.deepEqual(errorsOf({ url: `${url}a` }), {
      url: ['The url field must not be greater than 2048 characters.'],
    });
  });

  test('a name that no database can hold as given is not accepted', () => {
    for (const name of ['a\0b', '\ud800']) {
      assert.deepEqual(errorsOf({ name }), { name: ['The name field must be a string.'] });
    }
  });

  test('an expression has at most 255 characters, and one that never runs differs from an invalid one', () => {
    const list = `${'0,'.repeat(123)}1 * * * *`;
    assert.equal(list.length, 255);
    assert.deepEqual(errorsOf({ cron_expression: list }), {});
    assert.deepEqual(errorsOf({ cron_expression: '0 0 31 2 *' }), {
      cron_expression: ['The cron expression never produces a valid run time.'],
    });
    const [first] = errorsOf({ cron_expression: `0${list}` })['cron_expression'] ?? [];
    assert.equal(first, 'The cron expression field must not be greater than 255 characters.');
  });

  test('integers may come as JSON integers or as decimal strings, and as nothing else', () => {
    assert.equal(accept({ timeout_seconds: '45' }).timeoutSeconds, 45);
    assert.equal(accept({ alert_threshold: '1' }).alertThreshold, 1);
    for (const raw of ['1.5', '"1.5"', 'true', '1.0', '1e2', '"0x10"', '" 5"', '"abc"', '{}']) {
      assert.deepEqual(errorsOfRaw('timeout_seconds', raw), {
        timeout_seconds: ['The timeout seconds field must be an integer.'],
      });
      assert.deepEqual(errorsOfRaw('alert_threshold', raw), {
        alert_threshold: ['The alert threshold field must be an integer.'],
      });
    }
  });

  test('a timeout is 1 to 300 seconds', () => {
    assert.equal(accept({ timeout_seconds: 1 }).timeoutSeconds, 1);
    for (const raw of ['0', '-1', '"-0"', `-${'9'.repeat(400)}`]) {
      assert.deepEqual(errorsOfRaw('timeout_seconds', raw), {
        timeout_seconds: ['Timeout must be at least 1 second.'],
      });
    }
    for (const raw of ['301', '9007199254740993', '9'.repeat(400)]) {
      assert.deepEqual(errorsOfRaw('timeout_seconds', raw), {
        timeout_seconds: ['Timeout cannot exceed 300 seconds (5 minutes).'],
      });
    }
  });

  test('an alert threshold is 1, 2 or 3', () => {
    for (const raw of ['0', '4', '-1', '"4"']) {
      assert.deepEqual(errorsOfRaw('alert_threshold', raw), {
        alert_threshold: ['The alert threshold must be 1, 2, or 3.'],
      });
    }
  });

  test('booleans are true, false, 1, 0, "1" and "0", and no others', () => {
    for (const yes of [true, 1, '1']) assert.equal(accept({ is_active: yes }).isActive, true);
    for (const no of [false, 0, '0']) assert.equal(accept({ is_active: no }).isActive, false);
    for (const raw of ['"true"', '"false"', '2', '1.0', '"on"', '[]', '{}', '"01"']) {
      assert.deepEqual(errorsOfRaw('is_active', raw), {
        is_active: ['The is active field must be true or false.'],
      });
    }
  });

  test('a payload is any text, however deep the JSON in it', () => {
    const deep = '['.repeat(600) + ']'.repeat(600);
    assert.equal(accept({ payload: deep }).payload, deep);
    assert.equal(accept({ payload: '{"a":' }).payload, '{"a":');
  });
});
