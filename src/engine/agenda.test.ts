import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock';
import { Agenda, type LaneKey } from './agenda.ts';

const DAY_MS = 24 * 3600 * 1000;
const QUEUE: LaneKey = { kind: 'queue', id: 'q', teamId: 't' };

/** An agenda whose lane is due at 100, and is being claimed from at that time. */
function agendaTaken() {
  const agenda = new Agenda();
  agenda.expect(QUEUE, 100);
  const [lane] = agenda.takeDue(100, 1);
  assert.ok(lane);
  return { agenda, lane };
}

/** An agenda whose lane was claimed from at 100 and found at its queue's limit, with more due. */
function agendaAtLimit() {
  const { agenda, lane } = agendaTaken();
  lane.isAtLimit = true;
  agenda.giveBack(lane, 1100);
  return { agenda, lane };
}

test('a lane at its limit is due as soon as the end of a run is stored', () => {
  const { agenda, lane } = agendaAtLimit();
  assert.equal(agenda.nextDueAt(), 1100);
  agenda.settle(lane, 150);
  assert.equal(agenda.nextDueAt(), 150);
  assert.deepEqual(agenda.takeDue(150, 1), [lane]);
});

test('an end changes nothing for a lane that has room, or that nobody knows any more', () => {
  const { agenda, lane } = agendaAtLimit();
  lane.isAtLimit = false;
  agenda.settle(lane, 150);
  assert.equal(agenda.nextDueAt(), 1100);
  agenda.settle({ ...lane, id: 'gone' }, 150);
  assert.equal(agenda.laneCount, 1);
});

test('news that arrives while a claim looks outlives the answer of the claim', () => {
  const { agenda, lane } = agendaTaken();
  agenda.expect(QUEUE, 120);
  agenda.giveBack(lane, null);
  assert.equal(agenda.nextDueAt(), 120);
});

test('a lane is looked through from the earliest time that anything in it may be due since', () => {
  const agenda = new Agenda();
  agenda.expect(QUEUE, 100);
  agenda.expect(QUEUE, 90);
  const [lane] = agenda.takeDue(100, 1);
  assert.ok(lane);
  assert.equal(lane.from, 90);
  agenda.giveBack(lane, 140, 140);
  assert.equal(lane.from, 140);
  agenda.expect(QUEUE, 150);
  assert.equal(lane.from, 140);
});

test('news that arrives while a claim looks is looked for by the next one', () => {
  const { agenda, lane } = agendaTaken();
  agenda.expect(QUEUE, 95);
  agenda.giveBack(lane, 140, 140);
  assert.equal(lane.from, 95);
});

test('after a claim that saw nothing, and after news of no known time, everything is looked through', () => {
  const { agenda, lane } = agendaTaken();
  agenda.giveBack(lane, 600);
  assert.equal(lane.from, 0);
  agenda.takeDue(600, 1);
  agenda.giveBack(lane, 700, 700);
  agenda.expect(QUEUE, 650, 0);
  assert.equal(lane.from, 0);
});

test('a lane that is due is served in its turn, and once', () => {
  const agenda = new Agenda();
  for (const id of ['a', 'b', 'c']) agenda.expect({ ...QUEUE, id }, 100);
  const served = [...agenda.takeDue(100, 2), ...agenda.takeDue(100, 2)].map(({ id }) => id);
  assert.deepEqual(served.toSorted(), ['a', 'b', 'c']);
  assert.deepEqual(agenda.takeDue(100, 2), []);
});

test('a lane with nothing to come and nothing under way is forgotten', () => {
  const { agenda, lane } = agendaTaken();
  lane.inFlight++;
  agenda.giveBack(lane, null);
  assert.equal(agenda.laneCount, 1);
  agenda.leave(lane);
  assert.equal(agenda.laneCount, 0);
});

test('a day of claims leaves no more behind than there are lanes', () => {
  const clock = new FakeClock('2026-11-21T00:00:00Z');
  const midnight = clock.now() + DAY_MS;
  const agenda = new Agenda();
  const queues = Array.from({ length: 10 }, (_, n) => ({ ...QUEUE, id: `q${n}` }));
  let most = 0;
  let taken = 0;
  for (; clock.now() < midnight; clock.jumpTo(clock.now() + 50)) {
    const now = clock.now();
    // Ten claims at each look, which is 200 a second: of jobs that just came in, beside retries that wait for the night.
    for (const queue of queues) agenda.expect(queue, now);
    for (const lane of agenda.takeDue(now, queues.length)) {
      agenda.giveBack(lane, midnight + (now % 1000));
      taken++;
    }
    most = Math.max(most, agenda.size);
  }
  assert.equal(taken, 200 * 24 * 3600);
  assert.ok(most <= 3 * queues.length, `it held ${most} things for ${queues.length} lanes`);
});

test('lanes come up in the order of their times, however often those change', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(1000))), (changes) => {
      const agenda = new Agenda();
      const dueAt = new Map<string, number>();
      for (const [n, at] of changes) {
        const id = `q${n}`;
        agenda.expect({ ...QUEUE, id }, at);
        dueAt.set(id, Math.min(at, dueAt.get(id) ?? Infinity));
      }
      for (const at of [...new Set(dueAt.values())].toSorted((a, b) => a - b)) {
        assert.equal(agenda.nextDueAt(), at);
        const due = agenda.takeDue(at, 100);
        for (const lane of due) agenda.giveBack(lane, null);
        const expected = [...dueAt.keys()].filter((id) => dueAt.get(id) === at);
        assert.deepEqual(due.map(({ id }) => id).toSorted(), expected.toSorted());
      }
      assert.equal(agenda.size, 0);
    }),
  );
});
