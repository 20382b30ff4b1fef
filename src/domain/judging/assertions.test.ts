import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { type Assertion, MAX_ASSERTIONS } from './assertion.ts';
import { JsonFinder } from '../json/find.ts';
import { evaluateAssertions, needsOf, parseAssertions, type ResponseFacts } from './assertions.ts';

function facts(text: string, { durationMs = 10, assertions = [] }: Given = {}): ResponseFacts {
  const finder = new JsonFinder(needsOf(assertions).paths);
  finder.take(Buffer.from(text));
  const totalBytes = Buffer.byteLength(text);
  return { body: { found: [], json: finder.finish(), totalBytes }, durationMs };
}

interface Given {
  durationMs?: number;
  assertions?: readonly Assertion[];
}

function holds(path: string, expected: string, text: string) {
  const assertions: Assertion[] = [{ kind: 'json_path_equals', path, expected }];
  const [verdict] = evaluateAssertions(assertions, facts(text, { assertions }));
  return verdict ?? assert.fail('no verdict');
}

describe('JSON path equals', () => {
  const passing: [path: string, expected: string, body: string][] = [
    ['$.data.items[0].id', '7', '{"data":{"items":[{"id":7.0}]}}'],
    ['s', 'not json {', '{"s":"not json {"}'],
    ['s', '""', '{"s":""}'],
    ['s', '', '{"s":""}'],
    ['s', '5', '{"s":"5"}'],
    ['s', '"5"', '{"s":"5"}'],
    ['s', '"5"', String.raw`{"s":"\"5\""}`],
    ['s', String.raw`\"5\"`, String.raw`{"s":"\"5\""}`],
    ['s', String.raw`line\nx`, String.raw`{"s":"line\nx"}`],
    ['s', String.raw`line\nx`, String.raw`{"s":"line\\nx"}`],
    ['s', String.raw`caf\u00e9 \/`, '{"s":"café /"}'],
    ['s', String.raw`C:\dir`, String.raw`{"s":"C:\\dir"}`],
    ['n', '9007199254740993', '{"n":9007199254740993}'],
    ['o', '{"b":[1,2],"a":{}}', '{"o":{"a":{},"b":[1,2.0]}}'],
  ];
  test('a value equals the expected one as JSON, and a string also as typed (§2.4)', () => {
    for (const [path, expected, body] of passing)
      assert.equal(holds(path, expected, body).ok, true, `${expected} in ${body}`);
  });

  const failing: [path: string, expected: string, body: string, got: string][] = [
    ['s', '"5"', '{"s":5}', '5'],
    ['s', '5.0', '{"s":"5"}', '"5"'],
    ['s', String.raw`"\"5\""`, '{"s":"5"}', '"5"'],
    ['s', String.raw`\n`, String.raw`{"s":"n"}`, '"n"'],
    ['n', String.raw`\u0035`, '{"n":5}', '5'],
    ['s', '5", "5', '{"s":"5"}', '"5"'],
    ['missing', 'null', '{"n":null}', 'nothing at this path'],
    ['n', '9007199254740992', '{"n":9007199254740993}', '9007199254740993'],
    ['a', '1', '', 'a body that is not JSON'],
    ['s', 'Hello', '{"s":"hello"}', '"hello"'],
  ];
  test('another value, and nothing at the path, fail with the value that came', () => {
    for (const [path, expected, body, got] of failing) {
      const verdict = holds(path, expected, body);
      assert.deepEqual([verdict.ok, verdict.got], [false, got], `${expected} in ${body}`);
    }
  });

  test('an expected text with a line end in it equals a string as typed', () => {
    const body = String.raw`{"s":"line\nx","o":{"s":"line\nx"}}`;
    assert.equal(holds('s', 'line\nx', body).ok, true);
    assert.equal(holds('o.s', 'line\r\nx', body).ok, false);
    assert.equal(holds('o', '{"s":"line\nx"}', body).ok, false, 'no JSON');
  });

  test('a deeply nested body or expected value gives a verdict', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    assert.equal(holds('$', deep.slice(95_000, 105_000), deep).ok, false);
    assert.equal(holds('$', '1', deep).ok, false);
    assert.equal(holds('a', '9007199254740993', `{"b":${deep},"a":9007199254740993}`).ok, true);
  });

  test('the values that a failed assertion shows are bounded', () => {
    const long = 'é😀'.repeat(50_000);
    const { expected, got } = holds('s', long, JSON.stringify({ s: `${long}!` }));
    assert.ok(got.length < 450 && expected.length < 450);
    assert.ok(got.endsWith('…') && expected.endsWith('…'));
    assert.equal(got.isWellFormed(), true);
  });

  test('any body, path and expected value gives a verdict', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.oneof(fc.string(), fc.json()),
        (path, expected, body) => {
          assert.equal(typeof holds(path, expected, body).ok, 'boolean');
        },
      ),
    );
  });

  test('every JSON value equals itself', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value);
        assert.equal(holds('deep.value', text, `{"deep":{"value":${text}}}`).ok, true);
      }),
    );
  });

  test('every string equals itself as typed, as JSON, and as JSON without its quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const json = JSON.stringify(value);
        for (const expected of [value, json, json.slice(1, -1)])
          assert.equal(holds('s', expected, `{"s":${json}}`).ok, true, expected);
      }),
    );
  });
});

describe('the other kinds', () => {
  test('the response time must be strictly less than the value of its assertion', () => {
    const under: Assertion = { kind: 'response_time_under', ms: 500 };
    const verdictAt = (ms: number) =>
      evaluateAssertions([under], facts('', { durationMs: ms }))[0]?.ok;
    assert.deepEqual([499, 500, 501].map(verdictAt), [true, false, false]);
  });

  test('each body contains takes its own search result', () => {
    const assertions: Assertion[] = [
      { kind: 'body_contains', text: 'a' },
      { kind: 'response_time_under', ms: 5 },
      { kind: 'body_contains', text: 'b' },
    ];
    assert.deepEqual(needsOf(assertions), { searchFor: ['a', 'b'], paths: [] });
    const verdicts = evaluateAssertions(assertions, {
      body: { found: [false, true], json: null, totalBytes: 3 },
      durationMs: 1,
    });
    assert.deepEqual(
      verdicts.map(({ ok }) => ok),
      [false, true, true],
    );
    assert.equal(verdicts[0]?.got, 'a body of 3 bytes without it');
  });
});

describe('reading assertions', () => {
  test('the three kinds of assertions are read as written', () => {
    const list = [
      { kind: 'json_path_equals', path: 'data.ok', expected: 'true' },
      { kind: 'body_contains', text: 'fine' },
      { kind: 'response_time_under', ms: 500 },
    ];
    assert.deepEqual(parseAssertions(list), list);
  });

  const wrong: unknown[] = [
    null,
    [null],
    [{ kind: 'other' }],
    [{ kind: 'json_path_equals', path: 'a..b', expected: '1' }],
    [{ kind: 'json_path_equals', path: 'a', expected: true }],
    [{ kind: 'json_path_equals', path: 'a', expected: 'x'.repeat(10_001) }],
    [{ kind: 'body_contains', text: '' }],
    [{ kind: 'body_contains', text: 'x'.repeat(2_001) }],
    [{ kind: 'body_contains', text: 'a', path: 'a' }],
    [{ kind: 'response_time_under', ms: 0 }],
    [{ kind: 'response_time_under', ms: '500' }],
    [{ kind: 'response_time_under', ms: 300_001 }],
    Array.from({ length: MAX_ASSERTIONS + 1 }, () => ({ kind: 'body_contains', text: 'a' })),
  ];
  test('an unknown kind or field, a wrong or too long value and too many entries are refused', () => {
    for (const input of wrong) {
      const parsed = parseAssertions(input);
      assert.ok(!Array.isArray(parsed) && parsed.error.length > 10, JSON.stringify(input));
    }
  });
});
