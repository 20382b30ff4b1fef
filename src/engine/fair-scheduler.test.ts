import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';
import { FakeClock } from '#demo/fake-clock';
import { FairScheduler, type FairnessKey } from './fair-scheduler.ts';

const QUEUE: FairnessKey = { kind: 'queue', id: 'q', teamId: 't' };

/** A scheduler whose group is due at 100 and was taken for a claim at that time. */
function schedulerTaken() {
  const scheduler = new FairScheduler();
  scheduler.expect(QUEUE, 100);
  const [group] = scheduler.takeDue(100, 1);
  assert.ok(group);
  return { scheduler, group };
}

/** A scheduler whose group was claimed at 100 and found at its queue's limit, with more due. */
function schedulerAtLimit() {
  const { scheduler, group } = schedulerTaken();
  group.isAtLimit = true;
  scheduler.giveBack(group, 1100);
  return { scheduler, group };
}

test('a group at its limit is due as soon as the end of a run is stored', () => {
  const { scheduler, group } = schedulerAtLimit();
  assert.equal(scheduler.nextDueAt(), 1100);
  scheduler.settle(group, 150);
  assert.equal(scheduler.nextDueAt(), 150);
  assert.deepEqual(scheduler.takeDue(150, 1), [group]);
});

test('an ended run changes nothing for a queue with free slots or an unknown queue', () => {
  const { scheduler, group } = schedulerAtLimit();
  group.isAtLimit = false;
  for (const { id } of [group, { id: 'gone' }]) scheduler.settle({ ...group, id }, 150);
  assert.deepEqual([scheduler.nextDueAt(), scheduler.size], [1100, 2]);
});

test('a signal during a claim outlives the result of the claim', () => {
  const { scheduler, group } = schedulerTaken();
  scheduler.expect(QUEUE, 120);
  scheduler.giveBack(group, null);
  assert.equal(scheduler.nextDueAt(), 120);
});

test('a claim searches from the earliest possible due time, also of work signalled during a claim', () => {
  const scheduler = new FairScheduler();
  scheduler.expect(QUEUE, 100);
  scheduler.expect(QUEUE, 90);
  const [group] = scheduler.takeDue(100, 1);
  assert.equal(group?.from, 90);
  scheduler.giveBack(group, 140, 140);
  scheduler.expect(QUEUE, 150);
  assert.equal(group.from, 140);
  scheduler.takeDue(140, 1);
  scheduler.expect(QUEUE, 95);
  scheduler.giveBack(group, 160, 160);
  assert.equal(group.from, 95);
});

test('after an empty claim or a signal without a time, all of the queue is searched', () => {
  const { scheduler, group } = schedulerTaken();
  scheduler.giveBack(group, 600);
  assert.equal(group.from, 0);
  scheduler.takeDue(600, 1);
  scheduler.giveBack(group, 700, 700);
  scheduler.expect(QUEUE, 650, 0);
  assert.equal(group.from, 0);
});

test('a due group is served once, in the order of the line', () => {
  const scheduler = new FairScheduler();
  for (const id of ['a', 'b', 'c']) scheduler.expect({ ...QUEUE, id }, 100);
  const served = [...scheduler.takeDue(100, 2), ...scheduler.takeDue(100, 2)].map(({ id }) => id);
  assert.deepEqual(served.toSorted(), ['a', 'b', 'c']);
  assert.deepEqual(scheduler.takeDue(100, 2), []);
});

test('a group without due and running entries is removed', () => {
  const { scheduler, group } = schedulerTaken();
  group.inFlight++;
  scheduler.giveBack(group, null);
  assert.equal(scheduler.size, 1);
  scheduler.leave(group);
  assert.equal(scheduler.size, 0);
});

test('two hours of claims leave one entry per queue', () => {
  const clock = new FakeClock('2026-11-21T00:00:00Z');
  const midnight = clock.now() + DAY_MS;
  const scheduler = new FairScheduler();
  const queues = Array.from({ length: 10 }, (_, n) => ({ ...QUEUE, id: `q${n}` }));
  let most = 0;
  let taken = 0;
  const end = clock.now() + 2 * HOUR_MS;
  for (; clock.now() < end; clock.jumpTo(clock.now() + 50)) {
    const now = clock.now();
    // Ten claims in each step, which is 200 a second: for jobs that are due now, beside retries that are due at
    // night.
    for (const queue of queues) scheduler.expect(queue, now);
    for (const group of scheduler.takeDue(now, queues.length)) {
      scheduler.giveBack(group, midnight + (now % 1000));
      taken++;
    }
    most = Math.max(most, scheduler.size);
  }
  assert.equal(taken, 200 * 2 * 3600);
  assert.ok(most <= 3 * queues.length, `it had ${most} entries for ${queues.length} groups`);
});

test('groups become due in the order of their times, also after many changes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(1000))), (changes) => {
      const scheduler = new FairScheduler();
      const dueAt = new Map<string, number>();
      for (const [n, at] of changes) {
        const id = `q${n}`;
        scheduler.expect({ ...QUEUE, id }, at);
        dueAt.set(id, Math.min(at, dueAt.get(id) ?? Infinity));
      }
      for (const at of [...new Set(dueAt.values())].toSorted((a, b) => a - b)) {
        assert.equal(scheduler.nextDueAt(), at);
        const due = scheduler.takeDue(at, 100);
        for (const group of due) scheduler.giveBack(group, null);
        const expected = [...dueAt.keys()].filter((id) => dueAt.get(id) === at);
        assert.deepEqual(due.map(({ id }) => id).toSorted(), expected.toSorted());
      }
      assert.equal(scheduler.size, 0);
    }),
  );
});

/** A group that was claimed from at 100, whose rate lets nothing more start before 500, with more due. */
function schedulerBlockedByRate() {
  const { scheduler, group } = schedulerTaken();
  scheduler.giveBack(group, 100, 100, 500);
  return { scheduler, group };
}

test('a queue at its rate is due when the rate allows the next start', () => {
  const { scheduler, group } = schedulerBlockedByRate();
  scheduler.expect(QUEUE, 120);
  group.isAtLimit = true;
  scheduler.settle(group, 130);
  assert.equal(scheduler.nextDueAt(), 500);
  assert.deepEqual(scheduler.takeDue(499, 1), []);
  assert.deepEqual(scheduler.takeDue(500, 1), [group]);
});

test('after a change of its rate a group is due at once, also during a claim', () => {
  const { scheduler, group } = schedulerBlockedByRate();
  scheduler.expectChanged(QUEUE, 150);
  assert.equal(scheduler.nextDueAt(), 150);
  scheduler.takeDue(150, 1);
  scheduler.expectChanged(QUEUE, 160);
  scheduler.giveBack(group, 150, 150, 900);
  assert.equal(scheduler.nextDueAt(), 150);
  scheduler.takeDue(160, 1);
  scheduler.giveBack(group, 160, 160, 900);
  assert.equal(scheduler.nextDueAt(), 900);
});

test('after a clock set back, a scan limits how long a rate blocks a group', () => {
  const { scheduler } = schedulerBlockedByRate();
  scheduler.expectFound(QUEUE, 100, 300);
  assert.equal(scheduler.nextDueAt(), 300);
  scheduler.expectFound(QUEUE, 100, 400);
  assert.equal(scheduler.nextDueAt(), 300);
});
