import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { areNodesEqual, canonicalNumber, compareValues } from './equality.ts';
import { parseJsonText } from './text.ts';

function parse(text: string) {
  const node = parseJsonText(text);
  return typeof node === 'string' ? assert.fail(`${text} is ${node}`) : node;
}

describe('the value of a number', () => {
  for (const same of [
    ['1', '1.0', '1e0', '10e-1', '0.1E+1', '1.000'],
    ['100', '1e2', '100.00', '0.01e4'],
    ['0', '-0', '0.000', '0e999', '-0.0E-7'],
    ['-12.5', '-125e-1', '-12.50'],
    ['1e400', '10e399', '1.0E+400'],
  ]) {
    test(`${same.join(', ')} are one number`, () => {
      assert.equal(new Set(same.map(canonicalNumber)).size, 1);
    });
  }

  test('numbers that are equal as doubles can differ', () => {
    const numbers = [
      '9007199254740992',
      '9007199254740993',
      '1e400',
      '1e401',
      '-1e400',
      '1',
      '-1',
      '0.1',
      '0.10000000000000000001',
    ];
    assert.equal(new Set(numbers.map(canonicalNumber)).size, numbers.length);
  });

  test('an exponent beyond reckoning is no fault', () => {
    assert.equal(canonicalNumber('1e99999999999999999999'), '1e99999999999999999999');
  });

  test('an integer is equal to itself however far its zeros are moved into the exponent', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(30), (integer, zeros) => {
        const moved = `${integer}${'0'.repeat(zeros)}.0e-${zeros}`;
        assert.equal(canonicalNumber(moved), canonicalNumber(String(integer)));
        assert.notEqual(canonicalNumber(String(integer + 1n)), canonicalNumber(String(integer)));
      }),
    );
  });
});

describe('equality of JSON values', () => {
  test('objects are equal in any order of keys, lists are not', () => {
    assert.equal(
      compareValues({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }),
      'equal',
    );
    assert.equal(compareValues([1, 2], [2, 1]), 'different');
    assert.equal(compareValues([], {}), 'different');
    assert.equal(compareValues({ a: 1 }, { a: 1, b: 2 }), 'different');
    assert.equal(compareValues({ toString: 1 }, { valueOf: 1 }), 'different');
  });

  test('kinds are never mixed', () => {
    const values = [null, false, 0, '', '0', 'false', 'null', [], {}, true, 1];
    for (const [i, one] of values.entries()) {
      for (const [j, other] of values.entries()) {
        assert.equal(compareValues(one, other), i === j ? 'equal' : 'different');
      }
    }
  });

  test('the quick comparison is unsure only where digits beyond a double decide', () => {
    assert.equal(compareValues([2 ** 53, 1], [2 ** 53, 1]), 'unsure');
    assert.equal(compareValues([2 ** 53, 1], [2 ** 53, 2]), 'different');
    assert.equal(compareValues(2 ** 53 - 1, 2 ** 53 - 1), 'equal');
  });

  test('the exact comparison agrees with the quick one wherever that is sure', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(json, json, (one, other) => {
        for (const pair of [
          [one, other],
          [one, one],
        ] as const) {
          const texts = pair.map((value) => JSON.stringify(value)) as [string, string];
          const comparison = compareValues(JSON.parse(texts[0]), JSON.parse(texts[1]));
          const exact = areNodesEqual(parse(texts[0]), parse(texts[1]));
          if (comparison !== 'unsure')
            assert.equal(exact, comparison === 'equal', texts.join(' / '));
        }
      }),
    );
  });
});
