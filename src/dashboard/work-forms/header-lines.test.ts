import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readHeaders, writeHeaders } from './header-lines.ts';

describe('headers as lines', () => {
  test('a value keeps all but the one space after the colon', () => {
    assert.deepEqual(readHeaders('A: b\r\nX-Y:  two: parts \n\nbroken'), [
      ['A', 'b'],
      ['X-Y', ' two: parts '],
      ['broken', ''],
    ]);
  });
  test('header lines read back as written', () => {
    const pairs = fc.array(
      fc.tuple(fc.stringMatching(/^[A-Za-z-]{1,12}$/), fc.stringMatching(/^[ -~]{0,20}$/)),
    );
    fc.assert(
      fc.property(pairs, (given) => assert.deepEqual(readHeaders(writeHeaders(given)), given)),
    );
  });
});
