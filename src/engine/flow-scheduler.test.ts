import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS } from '#domain/instant';
import { FakeClock } from '#demo/fake-clock';
import { FlowScheduler, type FlowKey } from './flow-scheduler.ts';

const DAY_MS = 24 * HOUR_MS;
const QUEUE: FlowKey = { kind: 'queue', id: 'q', teamId: 't' };

/** A scheduler whose flow is due at 100 and was taken for a claim at that time. */
function schedulerTaken() {
  const scheduler = new FlowScheduler();
  scheduler.expect(QUEUE, 100);
  const [flow] = scheduler.takeDue(100, 1);
  assert.ok(flow);
  return { scheduler, flow };
}

/** A scheduler whose flow was claimed at 100 and found at its queue's limit, with more due. */
function schedulerAtLimit() {
  const { scheduler, flow } = schedulerTaken();
  flow.isAtLimit = true;
  scheduler.giveBack(flow, 1100);
  return { scheduler, flow };
}

test('a flow at its limit is due as soon as the end of a run is stored', () => {
  const { scheduler, flow } = schedulerAtLimit();
  assert.equal(scheduler.nextDueAt(), 1100);
  scheduler.settle(flow, 150);
  assert.equal(scheduler.nextDueAt(), 150);
  assert.deepEqual(scheduler.takeDue(150, 1), [flow]);
});

test('an ended run changes nothing for a queue with free slots or an unknown queue', () => {
  const { scheduler, flow } = schedulerAtLimit();
  flow.isAtLimit = false;
  scheduler.settle(flow, 150);
  assert.equal(scheduler.nextDueAt(), 1100);
  scheduler.settle({ ...flow, id: 'gone' }, 150);
  assert.equal(scheduler.flowCount, 1);
});

test('news that arrives while a claim looks outlives the answer of the claim', () => {
  const { scheduler, flow } = schedulerTaken();
  scheduler.expect(QUEUE, 120);
  scheduler.giveBack(flow, null);
  assert.equal(scheduler.nextDueAt(), 120);
});

test('a flow is looked through from the earliest time that anything in it may be due since', () => {
  const scheduler = new FlowScheduler();
  scheduler.expect(QUEUE, 100);
  scheduler.expect(QUEUE, 90);
  const [flow] = scheduler.takeDue(100, 1);
  assert.ok(flow);
  assert.equal(flow.from, 90);
  scheduler.giveBack(flow, 140, 140);
  assert.equal(flow.from, 140);
  scheduler.expect(QUEUE, 150);
  assert.equal(flow.from, 140);
});

test('news that arrives while a claim looks is looked for by the next one', () => {
  const { scheduler, flow } = schedulerTaken();
  scheduler.expect(QUEUE, 95);
  scheduler.giveBack(flow, 140, 140);
  assert.equal(flow.from, 95);
});

test('after an empty claim or a signal without a time, all of the queue is searched', () => {
  const { scheduler, flow } = schedulerTaken();
  scheduler.giveBack(flow, 600);
  assert.equal(flow.from, 0);
  scheduler.takeDue(600, 1);
  scheduler.giveBack(flow, 700, 700);
  scheduler.expect(QUEUE, 650, 0);
  assert.equal(flow.from, 0);
});

test('a flow that is due is served in its turn, and once', () => {
  const scheduler = new FlowScheduler();
  for (const id of ['a', 'b', 'c']) scheduler.expect({ ...QUEUE, id }, 100);
  const served = [...scheduler.takeDue(100, 2), ...scheduler.takeDue(100, 2)].map(({ id }) => id);
  assert.deepEqual(served.toSorted(), ['a', 'b', 'c']);
  assert.deepEqual(scheduler.takeDue(100, 2), []);
});

test('a flow with nothing to come and nothing under way is forgotten', () => {
  const { scheduler, flow } = schedulerTaken();
  flow.inFlight++;
  scheduler.giveBack(flow, null);
  assert.equal(scheduler.flowCount, 1);
  scheduler.leave(flow);
  assert.equal(scheduler.flowCount, 0);
});

test('two hours of claims leave one entry per queue', () => {
  const clock = new FakeClock('2026-11-21T00:00:00Z');
  const midnight = clock.now() + DAY_MS;
  const scheduler = new FlowScheduler();
  const queues = Array.from({ length: 10 }, (_, n) => ({ ...QUEUE, id: `q${n}` }));
  let most = 0;
  let taken = 0;
  const end = clock.now() + 2 * HOUR_MS;
  for (; clock.now() < end; clock.jumpTo(clock.now() + 50)) {
    const now = clock.now();
    // Ten claims in each step, which is 200 a second: for jobs that are due now, beside retries that are due at
    // night.
    for (const queue of queues) scheduler.expect(queue, now);
    for (const flow of scheduler.takeDue(now, queues.length)) {
      scheduler.giveBack(flow, midnight + (now % 1000));
      taken++;
    }
    most = Math.max(most, scheduler.size);
  }
  assert.equal(taken, 200 * 2 * 3600);
  assert.ok(most <= 3 * queues.length, `it held ${most} things for ${queues.length} flows`);
});

test('flows come up in the order of their times, however often those change', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(1000))), (changes) => {
      const scheduler = new FlowScheduler();
      const dueAt = new Map<string, number>();
      for (const [n, at] of changes) {
        const id = `q${n}`;
        scheduler.expect({ ...QUEUE, id }, at);
        dueAt.set(id, Math.min(at, dueAt.get(id) ?? Infinity));
      }
      for (const at of [...new Set(dueAt.values())].toSorted((a, b) => a - b)) {
        assert.equal(scheduler.nextDueAt(), at);
        const due = scheduler.takeDue(at, 100);
        for (const flow of due) scheduler.giveBack(flow, null);
        const expected = [...dueAt.keys()].filter((id) => dueAt.get(id) === at);
        assert.deepEqual(due.map(({ id }) => id).toSorted(), expected.toSorted());
      }
      assert.equal(scheduler.size, 0);
    }),
  );
});

/** A flow that was claimed from at 100, whose rate lets nothing more start before 500, with more due. */
function schedulerHeld() {
  const { scheduler, flow } = schedulerTaken();
  scheduler.giveBack(flow, 100, 100, 500);
  return { scheduler, flow };
}

test('a queue at its rate is due when the rate allows the next start', () => {
  const { scheduler, flow } = schedulerHeld();
  scheduler.expect(QUEUE, 120);
  flow.isAtLimit = true;
  scheduler.settle(flow, 130);
  assert.equal(scheduler.nextDueAt(), 500);
  assert.deepEqual(scheduler.takeDue(499, 1), []);
  assert.deepEqual(scheduler.takeDue(500, 1), [flow]);
});

test('a rate that is changed holds a flow no longer, also while a claim looks at it', () => {
  const { scheduler, flow } = schedulerHeld();
  scheduler.expectChanged(QUEUE, 150);
  assert.equal(scheduler.nextDueAt(), 150);
  scheduler.takeDue(150, 1);
  scheduler.expectChanged(QUEUE, 160);
  scheduler.giveBack(flow, 150, 150, 900);
  assert.equal(scheduler.nextDueAt(), 150);
  scheduler.takeDue(160, 1);
  scheduler.giveBack(flow, 160, 160, 900);
  assert.equal(scheduler.nextDueAt(), 900);
});

test('a look at all that waits believes no rate to hold a flow for long: the clock may have been set back', () => {
  const { scheduler } = schedulerHeld();
  scheduler.expectFound(QUEUE, 100, 300);
  assert.equal(scheduler.nextDueAt(), 300);
  scheduler.expectFound(QUEUE, 100, 400);
  assert.equal(scheduler.nextDueAt(), 300);
});
