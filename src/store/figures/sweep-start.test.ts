import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { SweepStart } from './sweep-start.ts';

const SECOND = 1_000;

/** A start whose first sweep, at 0 s, has looked at everything. */
function afterFirstSweep(lastId: number) {
  const clock = new FakeClock(0);
  const start = new SweepStart(clock, lastId);
  assert.equal(start.begin(), 0);
  start.end(lastId, false);
  assert.equal(start.isSomethingLeft, false);
  return { clock, start };
}

test('a sweep begins below ids seen less than a minute before an earlier one', async () => {
  const { clock, start } = afterFirstSweep(50);
  const sweep = async (lastId: number) => {
    await clock.advance(40 * SECOND);
    const first = start.begin();
    start.end(lastId, false);
    return first;
  };
  assert.equal(await sweep(100), 50);
  assert.equal(await sweep(200), 50, '80 s: this one sees all that was below 50');
  assert.equal(await sweep(300), 50);
  assert.equal(await sweep(400), 50, '80 s later it sees all that was below 200');
  assert.equal(await sweep(500), 200);
});

test('everything is looked at again after ten minutes', async () => {
  const { clock, start } = afterFirstSweep(100);
  await clock.advance(599 * SECOND);
  assert.equal(start.begin(), 100);
  start.end(100, false);
  await clock.advance(SECOND);
  assert.equal(start.begin(), 0);
  start.end(100, false);
  assert.equal(start.begin(), 100);
});

for (const [title, breakOff] of [
  ['leaves counts', (start: SweepStart) => start.end(300, true)],
  ['fails', () => {}],
] as const) {
  test(`a sweep from the beginning that ${title} is repeated every two minutes`, async () => {
    const { clock, start } = afterFirstSweep(100);
    start.begin();
    start.end(200, true);
    for (let n = 0; n < 3; n++) {
      assert.equal(start.isSomethingLeft, true);
      await clock.advance(120 * SECOND - 1);
      assert.ok(start.begin() >= 100, 'other sweeps begin at the floor');
      start.end(300, false);
      await clock.advance(1);
      assert.equal(start.begin(), 0);
      breakOff(start);
    }
    await clock.advance(120 * SECOND);
    assert.equal(start.begin(), 0);
    start.end(300, false);
    assert.equal(start.isSomethingLeft, false);
    assert.ok(start.begin() >= 100);
  });
}
