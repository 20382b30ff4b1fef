import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { earliestIdAt, isId, newId } from './ids.ts';

const now = Date.UTC(2026, 10, 20, 9, 5);

describe('ids (§1.2)', () => {
  test('an id is a UUID of version 7 that holds the time given', () => {
    const id = newId(now);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), now);
  });

  test('ids sort in the order of their time, and within a millisecond in the order of making', () => {
    const ids = Array.from({ length: 5000 }, () => newId(now));
    assert.equal(new Set(ids).size, 5000);
    assert.deepEqual(ids.toSorted(), ids);
    const later = [newId(now + 1), newId(now), newId(now + 2)];
    assert.deepEqual(later.toSorted(), [later[1], later[0], later[2]]);
  });

  test('the earliest id of any time is one, however far that is from here', () => {
    assert.ok(earliestIdAt(now) <= newId(now) && newId(now - 1) < earliestIdAt(now));
    for (const at of [-1, 0, 2 ** 48 - 1, 2 ** 48, 1e15, 1e300]) {
      assert.ok(isId(earliestIdAt(at)), String(at));
    }
  });

  test('a text that is no UUID of version 7 is no id', () => {
    assert.equal(isId(newId(now)), true);
    const others = ['', 'x', `${newId(now)} `, '00000000-0000-0000-0000-000000000000'];
    for (const text of [...others, '9b2f1c3e-5d4a-4c6b-8e7f-0a1b2c3d4e5f']) {
      assert.equal(isId(text), false, text);
    }
  });
});
