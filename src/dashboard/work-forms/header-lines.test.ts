import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readHeaderLines, writeHeaderLines } from './header-lines.ts';

describe('headers as lines', () => {
  test('a value keeps all but the one space after the colon', () => {
    assert.deepEqual(readHeaderLines('A: b\r\nX-Y:  two: parts \n\nbroken'), [
      { name: 'A', value: 'b' },
      { name: 'X-Y', value: ' two: parts ' },
      { name: 'broken', value: '' },
    ]);
  });
  test('header lines read back as written', () => {
    const pairs = fc.array(
      fc.record(
        {
          name: fc.stringMatching(/^[A-Za-z-]{1,12}$/),
          value: fc.stringMatching(/^[ -~]{0,20}$/),
        },
        { noNullPrototype: true },
      ),
    );
    fc.assert(
      fc.property(pairs, (given) =>
        assert.deepEqual(readHeaderLines(writeHeaderLines(given)), given),
      ),
    );
  });
});
