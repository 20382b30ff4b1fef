import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasStatusCode, readStatusCodes } from './status-codes.ts';

describe('status codes of a filter', () => {
  test('a filter is a list of codes, hundreds and none', () => {
    for (const [text, codes] of [
      ['5XX', '5xx'],
      [' 500 , 4xx, None,500', '500,4xx,none'],
    ] as const)
      assert.equal(readStatusCodes(text), codes);
  });

  test('anything else, and more than twenty codes, is no filter', () => {
    const many = Array.from({ length: 21 }, (_, n) => 500 + n).join();
    for (const text of ['', '5x', 'xx5', '5xxx', '099', '0xx', '500,', '500;502', '500-599', many])
      assert.equal(readStatusCodes(text), null, text);
  });

  test('a filter of status codes matches codes and hundreds, and never a run without a response', () => {
    assert.deepEqual(
      [500, 503, 599, 404, null].map((status) => hasStatusCode('5xx', status)),
      [true, true, true, false, false],
    );
    assert.deepEqual(
      [500, 501, 502, null].map((status) => hasStatusCode('500,502', status)),
      [true, false, true, false],
    );
    assert.deepEqual(
      [null, 200].map((status) => hasStatusCode('none', status)),
      [true, false],
    );
  });
});
