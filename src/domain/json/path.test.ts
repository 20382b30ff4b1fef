import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { MAX_PATH_LENGTH, parsePath } from './path.ts';

describe('reading a JSON path', () => {
  const paths: [string, (string | number)[]][] = [
    ['data.items[0].id', ['data', 'items', 0, 'id']],
    ['$.data.items[0].id', ['data', 'items', 0, 'id']],
    ['$', []],
    ['$[0]', [0]],
    ['[2][3]', [2, 3]],
    ['data["odd key"].x', ['data', 'odd key', 'x']],
    [`data['odd.key']`, ['data', 'odd.key']],
    [String.raw`["a\"b\\c\u0041"]`, ['a"b\\cA']],
    ['[""]', ['']],
    ['$ref.value', ['$ref', 'value']],
    ['ключ-1.日本', ['ключ-1', '日本']],
    ['items.0', ['items', '0']],
  ];
  for (const [text, steps] of paths) {
    test(`the path ${text} is ${JSON.stringify(steps)}`, () =>
      assert.deepEqual(parsePath(text), steps));
  }

  for (const text of [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a[',
    'a[]',
    'a[-1]',
    'a[01]',
    'a[*]',
    'a["b]',
    'a]b',
    '$$[',
    '$.',
    'a[0]b',
  ]) {
    test(`${text || 'nothing'} is no path`, () => assert.equal(parsePath(text), null));
  }

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
