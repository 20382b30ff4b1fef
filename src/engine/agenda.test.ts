import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agenda, type LaneKey } from './agenda.ts';

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
