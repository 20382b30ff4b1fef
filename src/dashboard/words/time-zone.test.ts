import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownZone } from './times.ts';

test('a time zone is found by its name in any case', () => {
  assert.equal(knownZone('Asia/Tokyo'), 'Asia/Tokyo');
  assert.equal(knownZone(' europe/berlin '), 'Europe/Berlin');
  assert.equal(knownZone('UTC'), 'UTC');
  for (const text of ['', ' ', 'Berlin', 'Mars/Olympus', 'x'.repeat(65)])
    assert.equal(knownZone(text), null, text);
});
