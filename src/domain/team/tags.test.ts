import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertSpends } from '#testing/spent-time';
import { readTag, readTags, tagInList, writeTags } from './tags.ts';

describe('tags (§2.13)', () => {
  for (const [given, kept] of [
    ['billing', 'billing'],
    [' Billing ', 'billing'],
    ['team:payments', 'team:payments'],
    ['eu-west/1', 'eu-west/1'],
    ['v1.2_beta', 'v1.2_beta'],
    ['Rückstände', 'rückstände'],
    ['a'.repeat(32), 'a'.repeat(32)],
    ['𝒳'.repeat(32), '𝒳'.repeat(32)],
    ['a'.repeat(33), null],
    ['', null],
    ['two words', null],
    ['a,b', null],
    ['-x', null],
    ['"x"', null],
    ['x\\y', null],
    ['<b>', null],
    ['\ud800', null],
  ] as const) {
    test(`${JSON.stringify(given)} is kept as ${JSON.stringify(kept)}`, () => {
      assert.equal(readTag(given), kept);
    });
  }

  test('two spellings of one letter are one tag', () => {
    assert.equal(readTag('e\u0301t\u00e9'), readTag('\u00e9te\u0301'));
  });

  test('a letter may be written with several characters, and a long text is not normalized', async () => {
    assert.equal(readTag('a\u0323\u0302'.repeat(32)), '\u1ead'.repeat(32));
    const marks = `a${'\u0344'.repeat(500_000)}${'\u0316'.repeat(500_000)}`;
    await assertSpends(50, () => assert.equal(readTag(marks), null));
  });

  test('tags are stored sorted and without duplicates, and no tags as null', () => {
    assert.equal(writeTags(['b', 'a', 'b']), '["a","b"]');
    assert.equal(writeTags([]), null);
    assert.deepEqual(readTags('["a","b"]'), ['a', 'b']);
    assert.deepEqual(readTags(null), []);
  });

  test('malformed stored tags are read as none', () => {
    for (const kept of ['', '{"a":1}', 'null', '[1']) assert.deepEqual(readTags(kept), []);
    assert.deepEqual(readTags('["a",1]'), ['a']);
  });

  test('a list holds the text of its tags and of no part of one', () => {
    const kept = writeTags(['billing', 'eu-west']) ?? '';
    assert.ok(kept.includes(tagInList('billing')));
    for (const part of ['bill', 'eu', 'west']) assert.ok(!kept.includes(tagInList(part)));
  });
});
