import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wouldMove } from './would-move.ts';

const job = (id: string, status = 'pending', completedAt: number | null = null) => ({
  job: { id, status, completedAt },
});

describe('what would move under the pointer', () => {
  test('numbers, words and times change in their place', () => {
    const before = { now: 1, attention: { failing: 0 }, jobs: [job('a'), job('b')], muted: null };
    const after = {
      now: 9,
      attention: { failing: 2 },
      jobs: [job('a', 'success', 5), job('b')],
      muted: null,
    };
    assert.equal(wouldMove(before, after), false);
  });

  test('a row that comes, goes or changes places moves the others', () => {
    const before = { jobs: [job('a'), job('b')] };
    for (const jobs of [[job('a')], [job('n'), job('a'), job('b')], [job('b'), job('a')]])
      assert.equal(wouldMove(before, { jobs }), true);
  });

  test('so does a part of the page that comes or goes', () => {
    assert.equal(wouldMove({ notice: null }, { notice: { text: 'muted' } }), true);
    assert.equal(wouldMove({ notice: { text: 'muted' } }, { notice: null }), true);
  });
});
