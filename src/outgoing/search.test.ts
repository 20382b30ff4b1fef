import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { threadMs } from '#testing/spent-time';
import { TextSearch } from './search.ts';

function isFoundIn(text: string, chunks: Buffer[]): boolean {
  const search = new TextSearch(text);
  for (const chunk of chunks) search.take(chunk);
  return search.isFound;
}

describe('searching a body as it passes by', () => {
  test('a search in chunks finds the same as a search of the whole body', () => {
    const unit = fc.constantFrom('a', 'é');
    const letters = fc.string({ unit, maxLength: 60, size: 'max' });
    const needle = fc.string({ unit, maxLength: 6, size: 'max' });
    fc.assert(
      fc.property(needle, letters, fc.integer({ min: 1, max: 7 }), (text, body, size) => {
        const bytes = Buffer.from(body);
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        assert.equal(isFoundIn(text, chunks), body.includes(text));
      }),
      { numRuns: 500 },
    );
  });

  test('a text made to slow down the search costs no more than another', () => {
    const body = Buffer.alloc(4 * 1024 * 1024, 'a');
    const from = threadMs();
    assert.equal(isFoundIn(`b${'a'.repeat(1_999)}`, [body]), false);
    assert.equal(isFoundIn(`${'a'.repeat(1_999)}b`, [body]), false);
    // A search that starts anew at every byte would take minutes.
    assert.ok(threadMs() - from < 3_000);
  });
});
