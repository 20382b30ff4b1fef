import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { StoreError } from './errors.ts';
import { Semaphore } from './semaphore.ts';

function makeSemaphore() {
  const clock = new FakeClock('2026-11-21T12:00:00Z');
  const semaphore = new Semaphore({ permits: 2, mostWaiting: 2, waitMs: 5_000 }, clock);
  /** A caller that asks for a permit and keeps it until it is released. */
  const come = () => {
    const end = Promise.withResolvers<void>();
    const asker = { isIn: false, refused: '', leave: () => end.resolve() };
    const visit = semaphore.hold(async () => {
      asker.isIn = true;
      await end.promise;
    });
    visit.catch((error: { code: string }) => (asker.refused = error.code));
    return asker;
  };
  return { clock, semaphore, come };
}

describe('a semaphore', () => {
  test('permits go to callers in the order of arrival', async () => {
    const { clock, come } = makeSemaphore();
    const [first, second, third, fourth, fifth] = [come(), come(), come(), come(), come()];
    await clock.advance(1);
    assert.deepEqual(
      [first, second, third, fourth].map(({ isIn }) => isIn),
      [true, true, false, false],
    );
    assert.equal(fifth.refused, 'STORE_BUSY', 'too many wait');
    second.leave();
    await clock.advance(1);
    assert.deepEqual([third.isIn, fourth.isIn], [true, false]);
  });

  test('a caller that waits too long is refused and takes no permit', async () => {
    const { clock, come } = makeSemaphore();
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
    assert.equal(later.isIn, true, 'the permit was lost');
  });

  test('a search cancelled by the server is reported as an overload, other faults unchanged', async () => {
    const { semaphore } = makeSemaphore();
    const fail = (code: string) =>
      semaphore.hold(() => Promise.reject(StoreError.fromPostgres({ code, message: 'no' })));
    await assert.rejects(fail('57014'), { code: 'STORE_BUSY', message: /took too long/ });
    await assert.rejects(fail('55P03'), { code: 'STORE_UNAVAILABLE' });
  });

  test('a failed call returns its permit', async () => {
    const { clock, semaphore, come } = makeSemaphore();
    for (let n = 0; n < 3; n++) {
      await assert.rejects(semaphore.hold(() => Promise.reject(new Error('no'))));
    }
    const [first, second] = [come(), come()];
    await clock.advance(1);
    assert.deepEqual([first.isIn, second.isIn], [true, true]);
  });
});
