import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';
import { anyText } from '#testing/any-text';

import { escapeJsonAnswer, readJsonField, readTopLevelFields } from './text.ts';
import { encodeJsonForWire as encode } from './wire.ts';

const encodeJsonForWire = (text: string) => encode(text).toString('latin1');

type Tree = string | Tree[] | { members: [key: string, value: Tree][] };

/** Of a valid JSON text. Words and digits are as written, the order of keys counts. */
function readTree(text: string): Tree {
  const tokens = text.match(/"(?:\\.|[^"\\])*"|[^\s[\]{}:,"]+|[[\]{}]/gs) ?? [];
  const read = (): Tree => {
    const token = tokens.shift() ?? '';
    if (token === '[' || token === '{') {
      const items: Tree[] = [];
      while (tokens[0] !== ']' && tokens[0] !== '}') items.push(read());
      tokens.shift();
      if (token === '[') return items;
      const entries = new Map<string, Tree>();
      while (items.length > 0) entries.set(items.shift() as string, items.shift() ?? '');
      return { members: [...entries] };
    }
    return token.startsWith('"') ? `"${JSON.parse(token) as string}` : token;
  };
  return read();
}

/** The tree as the target is to receive it: empty objects have become lists. */
function emptyObjectsAsLists(value: Tree): Tree {
  if (Array.isArray(value)) return value.map(emptyObjectsAsLists);
  if (typeof value === 'string') return value;
  if (value.members.length === 0) return [];
  return { members: value.members.map(([key, inner]) => [key, emptyObjectsAsLists(inner)]) };
}

function nest(levels: number, open = '[', close = ']'): string {
  return open.repeat(levels) + close.repeat(levels);
}

const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?$/);
const stringToken = fc
  .array(
    fc.oneof(
      anyText({ maxLength: 4 }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.stringMatching(/^\\u[0-9a-fA-F]{4}$/),
      fc.constantFrom('/', '\\/', '\\\\', '\\"', '\\n', '\u007f', 'é', '\u2028', '__proto__', '1'),
    ),
    { maxLength: 4 },
  )
  .map((parts) => `"${parts.join('')}"`);

/** Unusual JSON texts: white space, duplicate keys, any escapes, any digits. */
const { jsonText } = fc.letrec<{ jsonText: string; object: string; list: string }>((tie) => ({
  jsonText: fc
    .tuple(
      space,
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('true', 'false', 'null', '{}', '[ ]'),
        digits,
        stringToken,
        tie('object'),
        tie('list'),
      ),
      space,
    )
    .map((parts) => parts.join('')),
  object: fc
    .array(fc.tuple(space, stringToken, space, tie('jsonText')), { maxLength: 5 })
    .map((members) => `{${members.map(([a, key, b, v]) => `${a}${key}${b}:${v}`).join(',')}}`),
  list: fc.array(tie('jsonText'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
}));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('reading a JSON text', () => {
  test('a million open brackets neither overflow the stack nor take long', () => {
    assert.equal(readJsonField('['.repeat(1 << 20)), null);
    assert.equal(readTopLevelFields(`{"a":${'['.repeat(1 << 20)}`), null);
  });

  test('malformed JSON is not read', () => {
    for (const text of [
      ['', ' ', '\ufeff{}', '{} x', '[1,]', '[,1]', '{,}', '{"a"}', '{"a":}', '{a:1}', "{'a':1}"],
      ['01', '1.', '.5', '+1', '-', '1e', '0x1', 'NaN', 'tru', 'True', 'nulll', '}', '"\x1f"', '"'],
      ['"\\x"', '"\\u12g4"', '"\\', '[1 2]', '[}', '{]', '[1', '\u00a01', '[1\u2028]', '{"a" "b"}'],
    ].flat())
      assert.equal(readJsonField(text), null, text);
  });

  test('the JSON reader accepts the same texts as JSON.parse', () => {
    const marks = '{}[]",:\\/u0019.-+eE truefalsn\n\u0000é'.split('');
    const nearly = fc.oneof(
      jsonText,
      fc.string({ unit: fc.constantFrom(...marks) }),
      fc
        .tuple(jsonText, fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...marks))
        .map(([text, at, cut, char]) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + char + text.slice(place + cut);
        }),
    );
    fc.assert(
      fc.property(nearly, (text) => {
        assert.equal(readJsonField(text) !== null, isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('the JSON reader reads strings like JSON.parse', () => {
    fc.assert(
      fc.property(stringToken, (token) => {
        const field = readJsonField(token);
        assert.ok(field?.kind === 'string');
        assert.equal(field.value, JSON.parse(token));
      }),
    );
  });
});

describe('reading the fields of a body', () => {
  test('nested values have kind, source, depth and emptiness', () => {
    const fields = readTopLevelFields('{"s":"\\u00e9","n":1.0,"t":true,"p":[ {"a":[]} ],"e":{ }}');
    assert.ok(fields);
    assert.deepEqual(
      [...fields],
      [
        ['s', { kind: 'string', value: 'é', raw: '"\\u00e9"' }],
        ['n', { kind: 'number', raw: '1.0' }],
        ['t', { kind: 'true', raw: 'true' }],
        ['p', { kind: 'array', raw: '[ {"a":[]} ]', depth: 3, isEmpty: false }],
        ['e', { kind: 'object', raw: '{ }', depth: 1, isEmpty: true }],
      ],
    );
  });

  test('unknown names are validated and left out', () => {
    const wanted = new Set(['b', 'd']);
    const text = '{"a":{"b":1},"b":2,"c":[{"d":3}],"\\u0064":4,"e":"x"}';
    const fields = readTopLevelFields(text, wanted);
    assert.deepEqual(
      [...(fields ?? [])].map(([key, { raw }]) => [key, raw]),
      [
        ['b', '2'],
        ['d', '4'],
      ],
    );
    assert.equal(readTopLevelFields('{"b":1,"a":[}', wanted), null);
  });

  test('top-level fields have the keys and values of the object, in order', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const tree = readTree(text);
        const fields = readTopLevelFields(text);
        assert.deepEqual(readTopLevelFields(`{"a":${text}}`)?.get('a'), readJsonField(text));
        if (typeof tree === 'string' || !('members' in tree)) return assert.equal(fields, null);
        assert.deepEqual(
          [...(fields ?? [])].map(([key, { raw }]) => [`"${key}`, readTree(raw)]),
          tree.members,
        );
      }),
    );
  });
});

describe('writing JSON for the wire (§2.6)', () => {
  test("control characters use JSON's short escapes, and DEL is unchanged, U+0080 is not", () => {
    const text =
      '"\\u0008\\u000c\\u000A\\u000d\\u0009\\u001F\\u000b\\u0022\\u005c\\u002f\u007f\u0080"';
    const sent = '"\\b\\f\\n\\r\\t\\u001f\\u000b\\"\\\\\\/\u007f\\u0080"';
    assert.equal(encodeJsonForWire(text), sent);
  });

  test('the last of equal keys counts in an object of any size', () => {
    for (const size of [2, 15, 16, 17, 18, 40]) {
      const members = Array.from({ length: size }, (_, n) => `"k${n}":{"k0":${n}}`);
      const [first, ...others] = members;
      for (const twice of [0, size - 1]) {
        const text = `{${members.join()},"k${twice}":"last"}`;
        const expected = members.map((member, n) => (n === twice ? `"k${n}":"last"` : member));
        assert.equal(encodeJsonForWire(text), `{${expected.join()}}`);
      }
      const inAList = `[{${members.join()}},{${others.join()}},{${first}}]`;
      assert.equal(encodeJsonForWire(inAList), inAList);
    }
  });

  test('malformed or too deeply nested JSON is not written', () => {
    assert.throws(() => encodeJsonForWire('{'), TypeError);
    assert.equal(encodeJsonForWire(nest(512)), nest(512));
    assert.throws(() => encodeJsonForWire(nest(513)), TypeError);
  });

  test('any JSON is written in ASCII with the same values, digits and order', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const sent = encodeJsonForWire(text);
        assert.doesNotMatch(sent, /[^ -\u007f]/);
        assert.doesNotMatch(sent.replaceAll('\\\\', ''), /(?<!\\)\//);
        const given = emptyObjectsAsLists(readTree(text));
        assert.deepEqual(readTree(sent), given);
        assert.equal(encodeJsonForWire(sent), sent);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("writing the service's own answers (§1.2)", () => {
  test('a JSON parser restores every string', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const answer = escapeJsonAnswer([text]);
        assert.doesNotMatch(answer, /[^ -\u007f]/);
        assert.doesNotMatch(answer.replaceAll('\\\\', ''), /(?<!\\)\//);
        assert.deepEqual(JSON.parse(answer), [text]);
      }),
    );
  });
});
