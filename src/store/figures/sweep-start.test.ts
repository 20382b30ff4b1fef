import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { SweepStart } from './sweep-start.ts';

const SECOND = 1_000;

test('a sweep begins with what may have come since the one of a minute ago', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock, 0);
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
  const start = new SweepStart(clock, 0);
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
  const start = new SweepStart(clock, 50);
  assert.equal(start.begin(), 0);
  start.end(100);
  await clock.advance(599 * SECOND);
  assert.equal(start.begin(), 100);
  start.end(100);
  await clock.advance(SECOND);
  assert.equal(start.begin(), 0);
  start.end(100);
  assert.equal(start.begin(), 100);
});

test('a sweep over everything that fails is repeated after longer and longer pauses', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock, 50);
  assert.equal(start.begin(), 0);
  start.fail(0);
  for (const pause of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
    assert.equal(start.begin(), 50, 'meanwhile others begin where this node did');
    start.end(50);
    await clock.advance(pause * SECOND - 1);
    assert.equal(start.begin(), 50);
    start.end(50);
    assert.equal(start.isSomethingLeft, true);
    await clock.advance(1);
    assert.equal(start.begin(), 0);
    start.fail(0);
  }
  await clock.advance(600 * SECOND);
  start.begin();
  start.end(50);
  assert.equal(start.isSomethingLeft, false);
});

test('a sweep over everything that fails is repeated from where it came to', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock, 50);
  start.begin();
  start.fail(20);
  await clock.advance(5 * SECOND);
  assert.equal(start.begin(), 20);
  start.end(50);
  assert.equal(start.begin(), 50);
  start.fail(50);
  assert.equal(start.isSomethingLeft, false, 'what has failed is begun with each time');
});
