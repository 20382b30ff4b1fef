import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { SweepStart } from './sweep-start.ts';

const SECOND = 1_000;

test('a sweep begins with what may have come since the one of a minute ago', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock);
  const sweep = async (lastId: number) => {
    const first = start.begin();
    start.end(lastId);
    await clock.advance(40 * SECOND);
    return first;
  };
  assert.equal(await sweep(100), 0, 'the first one looks at everything');
  assert.equal(await sweep(200), 0, 'an id below 100 may still come');
  assert.equal(await sweep(300), 100);
  assert.equal(await sweep(400), 100, 'one below 300 may still come');
  assert.equal(await sweep(500), 300);
});

test('a sweep that has seen nothing does not begin further back', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock);
  start.begin();
  start.end(100);
  await clock.advance(70 * SECOND);
  assert.equal(start.begin(), 100);
  start.end(100);
  await clock.advance(70 * SECOND);
  assert.equal(start.begin(), 100);
});

test('everything is looked at again after ten minutes', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock);
  start.begin();
  start.end(100);
  await clock.advance(599 * SECOND);
  assert.equal(start.begin(), 100);
  await clock.advance(SECOND);
  assert.equal(start.begin(), 0);
  assert.equal(start.begin(), 0, 'again, where a sweep did not come to its end');
  start.end(100);
  assert.equal(start.begin(), 100);
});
