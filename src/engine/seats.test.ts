import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dealSeats } from './seats.ts';

const lane = (teamId: string, inFlight = 0) => ({ teamId, inFlight });
const nobody = new Map<string, number>();

describe('dealing free seats (§3.8)', () => {
  test('a lane that is alone gets two thirds of them', () => {
    const [seats] = dealSeats([lane('a')], 256, nobody);
    assert.ok((seats ?? 0) >= 165 && (seats ?? 0) <= 171, String(seats));
  });

  test('lanes of different teams get even shares', () => {
    const seats = dealSeats([lane('a'), lane('b')], 100, nobody);
    assert.ok(Math.abs((seats[0] ?? 0) - (seats[1] ?? 0)) <= 12, String(seats));
  });

  test('a newcomer gets a seat while a hog holds all that it may', () => {
    const held = dealSeats([lane('hog')], 256, nobody)[0] ?? 0;
    const seats = dealSeats([lane('hog', held), lane('new')], 256 - held, new Map([['hog', held]]));
    assert.equal(seats[0], 0);
    assert.ok((seats[1] ?? 0) >= 1);
  });

  test('four hogs one after another leave a seat for the next', () => {
    let free = 256;
    const teams = new Map<string, number>();
    for (let n = 0; n < 4; n++) {
      const seats = dealSeats([lane(`hog ${n}`)], free, teams)[0] ?? 0;
      teams.set(`hog ${n}`, seats);
      free -= seats;
      assert.ok(free >= 1, `after ${n + 1} hogs`);
    }
  });

  test('a single seat is given to whoever asks', () => {
    assert.deepEqual(dealSeats([lane('a')], 1, nobody), [1]);
  });

  test('the queues of one team share what the team may hold', () => {
    const seats = dealSeats([lane('a'), lane('a'), lane('a'), lane('b')], 90, nobody);
    assert.ok((seats[3] ?? 0) >= 1);
  });

  test("a team's hanging queue leaves seats for its other queues, and they for other teams", () => {
    for (const all of [8, 256]) {
      const [hog = 0] = dealSeats([lane('a')], all, nobody);
      const lanes = [lane('a', hog), lane('a'), lane('b')];
      const seats = dealSeats(lanes, all - hog, new Map([['a', hog]]));
      assert.equal(seats[0], 0);
      assert.ok((seats[1] ?? 0) >= 1 && (seats[2] ?? 0) >= 1, String(seats));
    }
  });

  test('never more than there are, never fewer than none', () => {
    const lanes = fc.array(
      fc.record({ teamId: fc.constantFrom('a', 'b', 'c'), inFlight: fc.nat(300) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(lanes, fc.nat(300), (seekers, free) => {
        const seats = dealSeats(seekers, free, nobody);
        assert.ok(seats.every((each) => Number.isInteger(each) && each >= 0));
        assert.ok(seats.reduce((sum, each) => sum + each, 0) <= free);
      }),
    );
  });
});
