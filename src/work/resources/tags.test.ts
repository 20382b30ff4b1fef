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
  ] as const) {
    test(`the tags of ${JSON.stringify(given)} are ${JSON.stringify(tags)}`, () => {
      assert.deepEqual(read(given), { ok: true, input: { tags } });
    });
  }

  test('a long text or list is refused at once', async () => {
    const tooMany = { ok: false, errors: [['tags', ['There can be at most 10 tags.']]] } as const;
    const text = readTopLevelFields(JSON.stringify({ tags: 'a,'.repeat(1_000_000) })) ?? new Map();
    await assertSpends(50, () => assert.deepEqual(readWhole(TAGS, text), tooMany));
    assert.deepEqual(read(Array.from({ length: 5_000 }, () => 'a')), tooMany);
  });

  test('a form without tags sets none', () => {
    assert.deepEqual(readWhole(TAGS, new Map()), { ok: true, input: { tags: [] } });
  });

  for (const [given, message] of [
    [5, 'Tags must be a list of words.'],
    [[5], 'Tags must be a list of words.'],
    [{ a: 1 }, 'Tags must be a list of words.'],
    [
      'good, <bad>',
      '"<bad>" can be no tag: up to 32 letters, digits and . _ : / -, a letter or digit first.',
    ],
    [
      ['two words'],
      '"two words" can be no tag: up to 32 letters, digits and . _ : / -, a letter or digit first.',
    ],
    ['a b c d e f g h i j k', 'There can be at most 10 tags.'],
  ] as const) {
    test(`the tags ${JSON.stringify(given)} are rejected`, () => {
      assert.deepEqual(read(given), { ok: false, errors: [['tags', [message]]] });
    });
  }
});
