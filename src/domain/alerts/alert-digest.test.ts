import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinCollection } from './alert-digest.ts';

const MINUTE = 60_000;

test('the first notification opens a digest, later ones join it until its end', () => {
  let ids = 0;
  const join = (open: Parameters<typeof joinCollection>[0], at: number) =>
    joinCollection(open, at, 5, () => `collection ${++ids}`);
  const first = join(null, 1_000);
  assert.deepEqual(first, { id: 'collection 1', until: 1_000 + 5 * MINUTE });
  assert.equal(join(first, 2_000), first);
  assert.equal(join(first, first.until - 1), first);
  assert.deepEqual(join(first, first.until), { id: 'collection 2', until: 1_000 + 10 * MINUTE });
});
