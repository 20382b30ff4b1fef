import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { StoreError } from './errors.ts';
import { Places } from './places.ts';

function makePlaces() {
  const clock = new FakeClock('2026-11-21T12:00:00Z');
  const places = new Places({ places: 2, mostWaiting: 2, waitMs: 5_000 }, clock);
  /** Somebody who asks for a place and keeps it until let go. */
  const come = () => {
    const end = Promise.withResolvers<void>();
    const visitor = { isIn: false, refused: '', leave: () => end.resolve() };
    const visit = places.hold(async () => {
      visitor.isIn = true;
      await end.promise;
    });
    visit.catch((error: { code: string }) => (visitor.refused = error.code));
    return visitor;
  };
  return { clock, places, come };
}

describe('places', () => {
  test('go to as many as there are, then to who has waited longest', async () => {
    const { clock, come } = makePlaces();
    const [first, second, third, fourth] = [come(), come(), come(), come()];
    await clock.advance(1);
    assert.deepEqual(
      [first, second, third, fourth].map(({ isIn }) => isIn),
      [true, true, false, false],
    );
    second.leave();
    await clock.advance(1);
    assert.deepEqual([third.isIn, fourth.isIn], [true, false]);
  });

  test('who waits too long is turned away, and takes no place when one comes free', async () => {
    const { clock, come } = makePlaces();
    const first = come();
    come();
    const third = come();
    await clock.advance(4_999);
    assert.equal(third.refused, '');
    await clock.advance(1);
    assert.equal(third.refused, 'STORE_BUSY');
    first.leave();
    await clock.advance(1);
    assert.equal(third.isIn, false);
    const later = come();
    await clock.advance(1);
    assert.equal(later.isIn, true, 'the place was lost');
  });

  test('with as many waiting as may wait, the next is turned away at once', async () => {
    const { clock, come } = makePlaces();
    const all = [come(), come(), come(), come(), come()];
    await clock.advance(1);
    assert.deepEqual(
      all.map(({ refused }) => refused),
      ['', '', '', '', 'STORE_BUSY'],
    );
  });

  test('a search that the server cut off is told in the same way, any other fault as it is', async () => {
    const { places } = makePlaces();
    const fail = (code: string) =>
      places.hold(() => Promise.reject(StoreError.fromPostgres({ code, message: 'no' })));
    await assert.rejects(fail('57014'), { code: 'STORE_BUSY', message: /took too long/ });
    await assert.rejects(fail('55P03'), { code: 'STORE_UNAVAILABLE' });
  });

  test('a place is given on by who fails, too', async () => {
    const { clock, places, come } = makePlaces();
    for (let n = 0; n < 3; n++) {
      await assert.rejects(places.hold(() => Promise.reject(new Error('no'))));
    }
    const [first, second] = [come(), come()];
    await clock.advance(1);
    assert.deepEqual([first.isIn, second.isIn], [true, true]);
  });
});
