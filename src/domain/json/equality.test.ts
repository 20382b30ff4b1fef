import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { areTextsEqual } from './equality.ts';

describe('the value of a number', () => {
  test('a number has one value in all its spellings', () => {
    for (const same of [
      ['1', '1.0', '1e0', '10e-1', '0.1E+1'],
      ['0', '-0', '0.000', '0e999', '-0.0E-7'],
      ['-12.5', '-125e-1', '-12.50'],
      ['1e400', '10e399', '1.0E+400'],
      ['1e99999999999999999999'],
    ])
      for (const one of same) assert.ok(areTextsEqual(one, same[0] ?? ''), one);
  });

  test('numbers that are equal as doubles can differ', () => {
    for (const [one, other] of [
      ['9007199254740992', '9007199254740993'],
      ['1e400', '1e401'],
      ['1e400', '1e99999999999999999999'],
      ['0.1', '0.10000000000000000001'],
    ] as const)
      assert.ok(!areTextsEqual(`[${one}]`, `[${other}]`), `${one}, ${other}`);
  });

  test('an integer is equal to itself however far its zeros are moved into the exponent', () => {
    // "00" is not JSON.
    const exceptZero = fc.bigInt().filter((integer) => integer !== 0n);
    fc.assert(
      fc.property(exceptZero, fc.nat(30), (integer, zeros) => {
        const moved = `${integer}${'0'.repeat(zeros)}.0e-${zeros}`;
        assert.ok(areTextsEqual(moved, String(integer)));
        assert.ok(!areTextsEqual(moved, String(integer + 1n)));
      }),
    );
  });
});

describe('equality of JSON values', () => {
  test('objects are equal in any order of keys, lists are not', () => {
    assert.ok(areTextsEqual('{"a":1,"b":[1,{"c":null}]}', '{"b":[1,{"c":null}],"a":1}'));
    assert.ok(!areTextsEqual('[1,2]', '[2,1]'));
    assert.ok(!areTextsEqual('{"a":1}', '{"a":1,"b":2}'));
    assert.ok(!areTextsEqual('{"toString":1}', '{"valueOf":1}'));
    assert.ok(!areTextsEqual('{"__proto__":{}}', '{"__proto__":[]}'));
  });

  test('JSON values of different kinds are never equal', () => {
    const values = ['null', 'false', '0', '""', '"0"', '"null"', '[]', '{}', 'true', '1'];
    for (const [i, one] of values.entries())
      for (const [j, other] of values.entries()) assert.equal(areTextsEqual(one, other), i === j);
  });
});
