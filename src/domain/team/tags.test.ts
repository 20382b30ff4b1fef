import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertSpends } from '#testing/spent-time';
import { readTag, readTags, tagInList, writeTags } from './tags.ts';

describe('tags (§2.13)', () => {
  test('a tag is up to 32 letters, digits and some signs, kept in lower case', () => {
    for (const [given, kept] of [
      [' Billing ', 'billing'],
      ['eu-west/1:v1.2_beta', 'eu-west/1:v1.2_beta'],
      ['Rückstände', 'rückstände'],
      ['𝒳'.repeat(32), '𝒳'.repeat(32)],
    ] as const)
      assert.equal(readTag(given), kept);
    const wrong = ['a'.repeat(33), '', 'two words', 'a,b', '-x', '"x"', 'x\\y', '<b>', '\ud800'];
    for (const given of wrong) assert.equal(readTag(given), null, given);
  });

  test('two spellings of one letter are one tag', () => {
    assert.equal(readTag('e\u0301t\u00e9'), readTag('\u00e9te\u0301'));
  });

  test('a letter may be written with several characters, and a long text is not normalized', async () => {
    assert.equal(readTag('a\u0323\u0302'.repeat(32)), '\u1ead'.repeat(32));
    const marks = `a${'\u0344'.repeat(500_000)}${'\u0316'.repeat(500_000)}`;
    await assertSpends(50, () => assert.equal(readTag(marks), null));
  });

  test('tags are stored sorted and without duplicates, and malformed ones are read as none', () => {
    assert.equal(writeTags(['b', 'a', 'b']), '["a","b"]');
    assert.equal(writeTags([]), null);
    for (const kept of [null, '', '{"a":1}', 'null', '[1']) assert.deepEqual(readTags(kept), []);
    assert.deepEqual(readTags('["a",1]'), ['a']);
  });

  test('a list holds the text of its tags and of no part of one', () => {
    const kept = writeTags(['billing', 'eu-west']) ?? '';
    assert.ok(kept.includes(tagInList('billing')));
    for (const part of ['bill', 'eu', 'west']) assert.ok(!kept.includes(tagInList(part)));
  });
});
