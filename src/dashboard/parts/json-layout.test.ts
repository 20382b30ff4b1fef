import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { layOutJson } from './json-layout.ts';

describe('JSON laid out for reading', () => {
  const textOf = (source: string) =>
    layOutJson(source)
      ?.map(({ text }) => text)
      .join('');
  test('laid out JSON keeps digits, escapes, order and duplicate keys', () => {
    const source = '{"b":9007199254740993,"1":1.0,"a":"caf\\u00e9","a":[ ],"e":1e400}';
    assert.equal(
      textOf(source),
      '{\n  "b": 9007199254740993,\n  "1": 1.0,\n  "a": "caf\\u00e9",\n  "a": [],\n  "e": 1e400\n}',
    );
  });
  test('laying out JSON changes only the white space between tokens', () => {
    fc.assert(
      fc.property(fc.json(), (source) => {
        assert.equal(
          JSON.stringify(JSON.parse(textOf(source) ?? '')),
          JSON.stringify(JSON.parse(source)),
        );
      }),
    );
  });
  test('a text that is not JSON is unchanged', () => {
    for (const source of ['<h1>', '}', '{"a":', 'abc', '', '{"a" 1'.slice(0, 5) + '\u0001'])
      assert.equal(layOutJson(source), null, source);
  });
  test('laying out deeply nested JSON makes it at most fifty times as long', () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    assert.ok((textOf(deep) ?? '').length < 5000 * 2 * 50);
  });
});
