import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { SweepStart } from './sweep-start.ts';

const SECOND = 1_000;

/** A start whose first sweeps have looked at everything, at the times 0 and 60 s. */
async function afterFirstSweeps(lastId: number) {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock, lastId);
  assert.equal(start.begin(), 0);
  start.end(lastId);
  await clock.advance(60 * SECOND);
  assert.equal(start.begin(), 0, 'of what came before it is not known when');
  start.end(lastId);
  return { clock, start };
}

test('a sweep begins below ids seen less than a minute before an earlier one', async () => {
  const { clock, start } = await afterFirstSweeps(50);
  const sweep = async (lastId: number) => {
    const first = start.begin();
    start.end(lastId);
    await clock.advance(40 * SECOND);
    return first;
  };
  assert.equal(await sweep(100), 50);
  assert.equal(await sweep(200), 50, 'the end of the last whole sweep is 40 s old');
  assert.equal(await sweep(300), 50, '80 s: this one sees all that was below');
  assert.equal(await sweep(400), 50);
  assert.equal(await sweep(500), 50);
  assert.equal(await sweep(600), 300);
});

test('a sweep that has seen nothing does not begin further back', async () => {
  const { clock, start } = await afterFirstSweeps(100);
  for (let n = 0; n < 3; n++) {
    await clock.advance(70 * SECOND);
    const first = start.begin();
    assert.equal(first, 100);
    start.end(first);
  }
});

test('everything is looked at again after ten minutes', async () => {
  const { clock, start } = await afterFirstSweeps(100);
  await clock.advance(599 * SECOND);
  assert.equal(start.begin(), 100);
  start.end(100);
  await clock.advance(SECOND);
  assert.equal(start.begin(), 0);
  start.end(100);
  assert.equal(start.begin(), 100);
});

test('skipped counts are retried from the beginning with growing pauses', async () => {
  const { clock, start } = await afterFirstSweeps(100);
  start.begin();
  start.leave();
  start.end(200);
  start.begin();
  start.leave();
  start.end(200);
  for (const pause of [5, 10, 20, 40, 80]) {
    assert.equal(start.isSomethingLeft, true);
    await clock.advance(pause * SECOND - 1);
    assert.ok(start.begin() >= 100);
    start.end(300);
    await clock.advance(1);
    assert.equal(start.begin(), 0);
    start.leave();
    start.end(300);
  }
  await clock.advance(160 * SECOND);
  assert.equal(start.begin(), 0);
  start.end(300);
  assert.equal(start.isSomethingLeft, false);
  assert.equal(start.begin(), 300);
  start.leave();
  start.end(320);
  await clock.advance(5 * SECOND);
  assert.equal(start.begin(), 0, 'the first pause is short again');
  start.end(320);
  assert.equal(start.isSomethingLeft, false);
});

test('a sweep from the beginning that fails is repeated with growing pauses', async () => {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock, 50);
  assert.equal(start.begin(), 0);
  start.fail();
  for (const pause of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
    assert.equal(start.begin(), 50, 'other sweeps begin at the floor');
    start.fail();
    await clock.advance(pause * SECOND - 1);
    assert.equal(start.begin(), 50);
    start.end(50);
    assert.equal(start.isSomethingLeft, true);
    await clock.advance(1);
    assert.equal(start.begin(), 0);
    start.fail();
  }
  await clock.advance(600 * SECOND);
  start.begin();
  start.end(50);
  assert.equal(start.isSomethingLeft, false);
});
