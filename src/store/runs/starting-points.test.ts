import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { StartingPoints } from './starting-points.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T12:00:00Z');

/** Points after a first look that found one waiting job, ten minutes overdue, in queue `a`. */
function pointsAfterALook() {
  const clock = new FakeClock(START);
  const points = new StartingPoints(clock);
  points.scanned(new Map([['a', START - 10 * MINUTE]]), START, true);
  return { clock, points };
}

test('a scan begins at the oldest waiting entry, else two minutes before the last scan', () => {
  const { clock, points } = pointsAfterALook();
  clock.jumpTo(START + MINUTE);
  assert.equal(points.isAllDue, false);
  assert.equal(points.of('a'), START - 10 * MINUTE);
  assert.equal(points.of('b'), START - 2 * MINUTE);
  const heads = JSON.stringify([{ id: 'a', from_at: START - 10 * MINUTE }]);
  assert.deepEqual(points.pack(), [heads, START - 2 * MINUTE]);
});

test('entries of signals are found, however long they have been due', () => {
  const { points } = pointsAfterALook();
  points.note('b', START - 30 * MINUTE);
  points.note('b', START - 20 * MINUTE);
  points.note('c', START);
  assert.equal(points.of('b'), START - 30 * MINUTE);
  assert.equal(points.of('c'), START - 2 * MINUTE);
  // The look that ends now may have begun before the signal came.
  points.scanned(new Map(), START, false);
  assert.equal(points.of('b'), START - 30 * MINUTE);
  points.scanned(new Map(), START, false);
  assert.equal(points.of('b'), START - 2 * MINUTE);
});

test('signals during the first scan after an outage are kept', async () => {
  const { clock, points } = pointsAfterALook();
  await clock.advance(60 * MINUTE);
  // Another node has written this after the look began.
  points.note('b', START + 30 * MINUTE);
  points.scanned(new Map(), clock.now(), false);
  assert.equal(points.of('b'), START + 30 * MINUTE);
});

test('a scan begins earlier after the clock was set back', () => {
  const { clock, points } = pointsAfterALook();
  clock.jumpTo(START - 60 * MINUTE);
  assert.equal(points.of('b'), START - 62 * MINUTE);
});
