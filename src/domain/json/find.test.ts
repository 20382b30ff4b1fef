import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import * as fc from 'fast-check';
import { JsonFinder, MAX_STREAMED_LEVELS, MAX_VALUE_BYTES, type FoundValue } from './find.ts';
import { parsePath, type PathStep } from './path.ts';

const BROKEN = { fault: 'a body that is not JSON' };

/** Finds paths in a text that arrives in chunks of `size` bytes. */
function find(text: string | Buffer, paths: readonly (readonly PathStep[])[], size = Infinity) {
  const finder = new JsonFinder(paths);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size)
    finder.take(bytes.subarray(at, Math.min(bytes.length, at + size)));
  return finder.finish();
}

/** Finds the same with JSON.parse, which blocks the process. */
function findSlowly(text: string, paths: readonly (readonly PathStep[])[]) {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return BROKEN;
  }
  return { values: paths.map((path) => follow(root, path)) };
}

function follow(root: unknown, path: readonly PathStep[]) {
  let value = root;
  for (const step of path) {
    const isList = Array.isArray(value);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return { kind: 'missing' };
    if (isList ? !/^(0|[1-9]\d*)$/.test(String(step)) : typeof step === 'number')
      return { kind: 'missing' };
    value = (value as Record<PathStep, unknown>)[step];
  }
  return { kind: 'found', value };
}

/** Parses the texts that were found, so that two findings can be compared. */
function read(findings: ReturnType<typeof find>) {
  if ('fault' in findings) return findings;
  return {
    values: findings.values.map((found) =>
      found.kind === 'found' ? { kind: 'found', value: JSON.parse(found.text) as unknown } : found,
    ),
  };
}

const pathOf = (text: string) => parsePath(text) ?? assert.fail(`no path: ${text}`);

describe('following paths through a JSON text that passes by', () => {
  const text = ' {"a":[{"b": null }],"__proto__":{"x":1},"\\u006bey":"v","é😀":{"":0}}';
  const found: [path: string, text: string][] = [
    ['a[0].b', 'null'],
    ['__proto__.x', '1'],
    ['key', '"v"'],
    ['é😀[""]', '0'],
    ['$', text.replaceAll(' ', '')],
  ];
  test('a path leads to its value, wherever the chunks are cut', () => {
    for (const [path, value] of found)
      for (const size of [1, 2, 3, 7, Infinity]) {
        const values = [{ kind: 'found', text: value }];
        assert.deepEqual(find(text, [pathOf(path)], size), { values }, path);
      }
  });

  test('a path to nothing in the text finds nothing', () => {
    for (const path of ['a[1]', 'a.length', 'toString', 'a[0].b.c', 'a[0][0]', 'a.00'])
      assert.deepEqual(find(text, [pathOf(path)]), { values: [{ kind: 'missing' }] }, path);
  });

  test('the last of equal keys wins, with its whole value', () => {
    const twice = '{"a":{"b":1,"c":2},"a":{"c":3}}';
    assert.deepEqual(find(twice, [pathOf('a.b'), pathOf('a.c')]), {
      values: [{ kind: 'missing' }, { kind: 'found', text: '3' }],
    });
  });

  test('a path finds the same value as in JSON.parse for any text, path and cut', () => {
    // No key is a lone backslash. Once V8 has read such a key behind another one, its JSON.parse reads the next
    // one-character escape in that place, `\"`, as that key.
    const key = fc.constantFrom('a', 'b', '', '0', '1', 'é', '"', '\\\\', '__proto__');
    const { value: json } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, -1.5e-7, 'a', 'é😀\n"'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }));
    const paths = fc.array(fc.array(fc.oneof(key, fc.nat(2)), { maxLength: 3 }), { maxLength: 4 });
    const texts = fc
      .tuple(
        json,
        fc.constantFrom('', ' ', '\n\t'),
        fc.nat(60),
        fc.constantFrom('', ',', '}', '"', '1', '\u0001', '\\'),
      )
      .map(([value, indent, at, slip]) => {
        const whole = JSON.stringify(value, null, indent);
        const slipped = slip === '' ? whole : whole.slice(0, at) + slip + whole.slice(at + 1);
        // A text arrives as UTF-8, which has no lone surrogates.
        return slipped.toWellFormed();
      });
    fc.assert(
      fc.property(texts, paths, fc.integer({ min: 1, max: 9 }), (written, asked, size) => {
        assert.deepEqual(read(find(written, asked, size)), findSlowly(written, asked));
      }),
      { numRuns: 1_000 },
    );
  });

  test('only numbers as JSON has them are found as numbers', () => {
    for (const number of ['0', '-0', '10', '1.5', '1e5', '1E+5', '-1.0e-05'])
      assert.deepEqual(find(number, [[]], 1), { values: [{ kind: 'found', text: number }] });
    for (const none of ['', '-', '01', '1.', '.5', '+1', '1e', '1e+', '0x1', 'NaN', '--1', '1-'])
      assert.deepEqual(find(none, [[]], 1), BROKEN, none);
  });

  test('a byte order mark at the beginning is skipped, and an invalid byte in a string is U+FFFD', () => {
    assert.deepEqual(find('\ufeff1', [[]]), { values: [{ kind: 'found', text: '1' }] });
    assert.deepEqual(find('1\ufeff', [[]]), BROKEN);
    assert.deepEqual(find(Buffer.from([0x22, 0xff, 0x22]), [[]]), {
      values: [{ kind: 'found', text: '"\ufffd"' }],
    });
  });
});

describe('large texts', () => {
  test('a value too large to store is its beginning and its number of members', () => {
    const list = `[${'12,'.repeat(100_000)}12]`;
    const { values } = find(`{"l":${list},"s":"${'x'.repeat(100_000)}"}`, [
      pathOf('l'),
      pathOf('s'),
    ]) as { values: { kind: string; is: string; start: string; members: number }[] };
    assert.deepEqual(
      values.map(({ kind, is, start, members }) => [kind, is, start.length, members]),
      [
        ['large', 'array', MAX_VALUE_BYTES, 100_001],
        ['large', 'string', MAX_VALUE_BYTES, 0],
      ],
    );
  });

  test('all values found in a text are bounded together', () => {
    const item = `"${'x'.repeat(60_000)}"`;
    const text = `[${Array.from({ length: 20 }, () => item).join()}]`;
    const { values } = find(
      text,
      Array.from({ length: 20 }, (_, n) => [n]),
    ) as { values: { kind: string }[] };
    assert.equal(values.filter(({ kind }) => kind === 'found').length, 4);
  });

  test('a text of 64 MiB is searched to its end in bounded memory', () => {
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage = vm.runInNewContext('gc') as () => void;
    const bytesInUse = () => {
      collectGarbage();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const rows = Buffer.from('{"id":1,"tags":["a","b"],"\\u006eame":"x"},'.repeat(20_000));
    const finder = new JsonFinder([['rows'], ['rows', 1_000_000, 'id'], ['last']]);
    finder.take(Buffer.from('{"rows":['));
    const before = bytesInUse();
    let taken = 0;
    for (; taken < 64 * 1024 * 1024; taken += rows.length) finder.take(rows);
    const grown = bytesInUse() - before;
    finder.take(Buffer.from('0],"last":7}'));
    const { values } = finder.finish() as { values: FoundValue[] };
    assert.deepEqual(
      values.map((value) => (value.kind === 'large' ? value.kind : value)),
      ['large', { kind: 'found', text: '1' }, { kind: 'found', text: '7' }],
    );
    assert.ok(grown < 1024 * 1024, `${grown} bytes after ${taken}`);
  });

  test('a key of any length is passed over, and one that only looks long is found', () => {
    const long = 'k'.repeat(1_000_000);
    const escaped = '\\u0061'.repeat(900);
    const text = `{"${long}":1,"${escaped}":2}`;
    assert.deepEqual(find(text, [['a'.repeat(900)], [long]], 1_000), {
      values: [{ kind: 'found', text: '2' }, { kind: 'missing' }],
    });
  });

  test('a text is read to a bound of nesting, and a deeper one is reported', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    assert.deepEqual(find(deep(MAX_STREAMED_LEVELS), [[0, 0, 1]]), {
      values: [{ kind: 'missing' }],
    });
    assert.deepEqual(find(deep(MAX_STREAMED_LEVELS + 1), [[0]]), {
      fault: 'a body nested too deeply to read',
    });
  });
});
