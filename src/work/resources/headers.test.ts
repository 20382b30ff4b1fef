import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { CRON_REQUEST } from './cron.ts';
import { readWhole } from './resource.ts';

function read(raw: string) {
  const fields = readTopLevelFields(`{"headers":${raw}}`) ?? new Map();
  const reading = readWhole({ headers: CRON_REQUEST.headers }, fields);
  return reading.ok ? { ok: true as const, input: reading.input.headers } : reading;
}

function errorsOf(headers: unknown) {
  const reading = read(JSON.stringify(headers));
  return reading.ok ? {} : Object.fromEntries(reading.errors);
}

describe('configured headers', () => {
  test('keep their order, case and values', () => {
    const raw = '{"x-b":" é\\t","2":"two","1":"one","X-B":"","Host":"h","__proto__":"p"}';
    assert.deepEqual(read(raw), {
      ok: true,
      input: [
        ['x-b', ' é\t'],
        ['2', 'two'],
        ['1', 'one'],
        ['X-B', ''],
        ['Host', 'h'],
        ['__proto__', 'p'],
      ],
    });
  });

  test('an empty list or object reads as none', () => {
    for (const raw of ['[]', '[ ]', '{}']) assert.deepEqual(read(raw), { ok: true, input: [] });
  });

  test('anything but an object is refused', () => {
    for (const wrong of ['x', 5, true, ['a'], [{}]]) {
      assert.deepEqual(errorsOf(wrong), { headers: ['The headers field must be an array.'] });
    }
  });

  test('headers that frame the connection cannot be set, in any case', () => {
    const names = ['Content-Length', 'TRANSFER-ENCODING', 'connection', 'Keep-Alive', 'Upgrade'];
    const more = ['expect', 'TE', 'Trailer', 'Proxy-Authorization', 'proxy-x'];
    for (const name of [...names, ...more]) {
      assert.deepEqual(errorsOf({ [name]: '1' }), {
        headers: [`The headers field must not set ${name}.`],
      });
    }
    assert.deepEqual(errorsOf({ 'Content-Type': 'a', TEA: 'b', Proxy: 'c', Cookie: 'd' }), {});
  });

  test('several faults are all reported, those of the field as a whole first', () => {
    assert.deepEqual(Object.entries(errorsOf({ 'X-A': 1, TE: 'x', 'a b': 'x', Trailer: null })), [
      [
        'headers',
        ['The headers field must not set TE.', 'The headers field must not set Trailer.'],
      ],
      ['headers.X-A', ['The headers.X-A field must be a string.']],
      ['headers.a b', ['The headers.a b field must have a valid HTTP header name.']],
      ['headers.Trailer', ['The headers.Trailer field must be a string.']],
    ]);
  });

  test('names are HTTP tokens', () => {
    for (const name of ['', 'a b', 'a:', 'é', 'a\n', '(x)', 'a\0']) {
      assert.deepEqual(Object.keys(errorsOf({ [name]: 'x' })), [`headers.${name}`]);
    }
  });

  test('header values are strings of valid HTTP characters', () => {
    for (const value of [null, 5, true, {}, [[[]]], ['a']]) {
      assert.deepEqual(errorsOf({ X_A: value }), {
        'headers.X_A': ['The headers.X_A field must be a string.'],
      });
    }
    for (const value of ['a\r', 'a\nb', '\0', '\u0001', '\u007f', '☃', 'Ā', '😀']) {
      assert.deepEqual(errorsOf({ X_A: value }), {
        'headers.X_A': ['The headers.X_A field must be a valid HTTP header value.'],
      });
    }
  });

  test('at most 100 entries and 16 KiB together', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, '']));
    assert.deepEqual(errorsOf(many(100)), {});
    assert.deepEqual(errorsOf(many(101)), {
      headers: ['The headers field must not have more than 100 items.'],
    });
    assert.deepEqual(errorsOf({ X: 'é'.repeat(16_383) }), {});
    const tooLarge = { headers: ['The headers field must not be greater than 16384 bytes.'] };
    assert.deepEqual(errorsOf({ X: 'é'.repeat(16_384) }), tooLarge);
    assert.deepEqual(errorsOf({ X: 'a'.repeat(1_000_000) }), tooLarge);
    assert.deepEqual(errorsOf({ ...many(101), X: 'a'.repeat(20_000) }), {
      headers: [
        'The headers field must not have more than 100 items.',
        'The headers field must not be greater than 16384 bytes.',
      ],
    });
  });
});
