import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { MAX_PATH_LENGTH, parsePath } from './path.ts';

describe('reading a JSON path', () => {
  test('a path is a list of keys and indexes', () => {
    const paths: [string, (string | number)[]][] = [
      ['$.data.items[0].id', ['data', 'items', 0, 'id']],
      ['$', []],
      ['[2][3]', [2, 3]],
      ['data["odd key"].x', ['data', 'odd key', 'x']],
      [String.raw`['odd.key']["a\"b\\c\u0041"]`, ['odd.key', 'a"b\\cA']],
      ['[""]', ['']],
      ['$ref.ключ-1', ['$ref', 'ключ-1']],
      ['items.0', ['items', '0']],
    ];
    for (const [text, steps] of paths) assert.deepEqual(parsePath(text), steps);
  });

  test('a text with a broken step, a wildcard or a negative index is no path', () => {
    const broken = ['', '.', 'a.', '.a', 'a..b', 'a[', 'a[]', 'a["b]', 'a]b', '$$[', '$.', 'a[0]b'];
    for (const text of [...broken, 'a[-1]', 'a[01]', 'a[*]'])
      assert.equal(parsePath(text), null, text);
  });

  test('a JSON path is bounded in length', () => {
    assert.notEqual(parsePath('a'.repeat(MAX_PATH_LENGTH)), null);
    assert.equal(parsePath('a'.repeat(MAX_PATH_LENGTH + 1)), null);
  });

  test('every key of a JSON path can be written in brackets', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), { minLength: 1, maxLength: 8 }),
        (keys) => {
          const path = keys.map((key) => `[${JSON.stringify(key)}]`).join('');
          assert.deepEqual(parsePath(path), keys);
        },
      ),
    );
  });
});
