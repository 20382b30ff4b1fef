import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { locate, MAX_PATH_LENGTH, parsePath } from './json-path.ts';

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
    test(`${text} is ${JSON.stringify(steps)}`, () => assert.deepEqual(parsePath(text), steps));
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

  test('a path is bounded in length', () => {
    assert.notEqual(parsePath('a'.repeat(MAX_PATH_LENGTH)), null);
    assert.equal(parsePath('a'.repeat(MAX_PATH_LENGTH + 1)), null);
  });

  test('every key can be written in brackets', () => {
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

describe('following a JSON path', () => {
  const value = JSON.parse('{"a":[{"b":null},[1]],"__proto__":{"x":1},"constructor":5}') as unknown;
  const find = (text: string) => locate(value, parsePath(text) ?? assert.fail('no path'));

  test('a value is found, null too', () => {
    assert.deepEqual(find('a[0].b'), { kind: 'found', value: null });
    assert.deepEqual(find('a.1[0]'), { kind: 'found', value: 1 });
    assert.deepEqual(find('__proto__.x'), { kind: 'found', value: 1 });
    assert.deepEqual(find('constructor'), { kind: 'found', value: 5 });
    assert.deepEqual(find('$'), { kind: 'found', value });
  });

  test('nothing is found that the text does not hold', () => {
    for (const text of [
      'a[2]',
      'a.length',
      'toString',
      'a[0].b.c',
      'a[0][0]',
      'b',
      'a.00',
      'hasOwnProperty',
    ]) {
      assert.deepEqual(find(text), { kind: 'missing' }, text);
    }
  });
});
