import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTopLevelFields } from '#domain/json/text';
import { assertSpends } from '#testing/spent-time';
import { QUEUE } from './queue.ts';
import { readWhole } from './resource.ts';

const TAGS = { tags: QUEUE.tags };

const read = (value: unknown) =>
  readWhole(TAGS, readTopLevelFields(JSON.stringify({ tags: value })) ?? new Map());

describe('reading tags (§2.13)', () => {
  test('tags are a list or a text, sorted without duplicates', () => {
    for (const [given, tags] of [
      ['', []],
      [null, []],
      [' Nightly, billing\tbilling,,\n', ['billing', 'nightly']],
      [' , ', []],
      [
        ['EU', 'billing'],
        ['billing', 'eu'],
      ],
      [[], []],
    ] as const)
      assert.deepEqual(read(given), { ok: true, input: { tags } });
    assert.deepEqual(readWhole(TAGS, new Map()), { ok: true, input: { tags: [] } });
  });

  test('a long text or list is refused at once', async () => {
    const tooMany = { ok: false, errors: [['tags', ['There can be at most 10 tags.']]] } as const;
    const text = readTopLevelFields(JSON.stringify({ tags: 'a,'.repeat(1_000_000) })) ?? new Map();
    await assertSpends(50, () => assert.deepEqual(readWhole(TAGS, text), tooMany));
    assert.deepEqual(read(Array.from({ length: 5_000 }, () => 'a')), tooMany);
    assert.deepEqual(read('a b c d e f g h i j k'), tooMany);
  });

  test('tags of another type or with other signs are rejected', () => {
    const rule = 'up to 32 letters, digits and . _ : / -, a letter or digit first.';
    for (const [given, message] of [
      [5, 'Tags must be a list of words.'],
      [[5], 'Tags must be a list of words.'],
      [{ a: 1 }, 'Tags must be a list of words.'],
      ['good, <bad>', `"<bad>" can be no tag: ${rule}`],
      [['two words'], `"two words" can be no tag: ${rule}`],
    ] as const)
      assert.deepEqual(read(given), { ok: false, errors: [['tags', [message]]] });
  });
});
