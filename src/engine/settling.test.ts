import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { silentLog } from '#domain/base/log';
import { StoreError, type StoreErrorCode } from '#store/database/errors';
import { FakeClock } from '#demo/fake-clock';
import { untilStored } from './settling.ts';

const fail = (error: Error) => async (): Promise<string> => {
  throw error;
};
const failWith = (code: StoreErrorCode) => fail(new StoreError(code, 'no'));

describe('an outcome that is to be stored', () => {
  test('an outcome is written completely however late the database returns', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    let isBack = false;
    const whole = async () => {
      if (!isBack) throw new StoreError('STORE_UNAVAILABLE', 'away');
      return 'whole';
    };
    const stored = untilStored({ clock, log: silentLog }, [whole, async () => 'less']);
    await clock.advance(HOUR_MS);
    isBack = true;
    await clock.advance(2_000);
    assert.equal(await stored, 'whole');
  });

  for (const code of ['STORE_REFUSED', 'STORE_FAULT'] as const) {
    test(`an outcome that fails with ${code} is stored with less data`, async () => {
      const clock = new FakeClock('2026-01-01T00:00:00Z');
      const ways = [failWith(code), failWith(code), async () => 'least'] as const;
      const stored = untilStored({ clock, log: silentLog }, ways);
      await clock.advance(10_000);
      assert.equal(await stored, 'least');
    });
  }

  test('storing an outcome is retried until it succeeds, also after an unexpected error', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    let tries = 0;
    const last = async () => {
      if (++tries < 1_000) throw new TypeError('a defect');
      return 'done';
    };
    const stored = untilStored({ clock, log: silentLog }, [fail(new TypeError('first')), last]);
    await clock.advance(HOUR_MS);
    assert.equal(await stored, 'done');
  });
});
