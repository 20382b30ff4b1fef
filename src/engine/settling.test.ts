import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { silentLog } from '#domain/base/log';
import { StoreError } from '#store/database/errors';
import { FakeClock } from '#demo/fake-clock';
import { untilStored } from './settling.ts';

const clockAt = () => new FakeClock('2026-01-01T00:00:00Z');
const failWith = (error: Error) => async (): Promise<string> => {
  throw error;
};

describe('an outcome that is to be stored', () => {
  test('an outcome is written completely however late the database returns', async () => {
    const clock = clockAt();
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

  test('an outcome that the store refuses is stored with less data', async () => {
    for (const code of ['STORE_REFUSED', 'STORE_FAULT'] as const) {
      const clock = clockAt();
      const refused = failWith(new StoreError(code, 'no'));
      const ways = [refused, refused, async () => 'least'] as const;
      const stored = untilStored({ clock, log: silentLog }, ways);
      await clock.advance(10_000);
      assert.equal(await stored, 'least', code);
    }
  });

  test('storing an outcome is retried until it succeeds, also after an unexpected error', async () => {
    const clock = clockAt();
    let tries = 0;
    const last = async () => {
      if (++tries < 1_000) throw new TypeError('a defect');
      return 'done';
    };
    const first = failWith(new TypeError('first'));
    const stored = untilStored({ clock, log: silentLog }, [first, last]);
    await clock.advance(HOUR_MS);
    assert.equal(await stored, 'done');
  });
});
