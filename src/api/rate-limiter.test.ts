import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryRateLimiter } from './rate-limiter.ts';

describe('counting requests per address', () => {
  test('a window lasts 60 s from its first request', async () => {
    const limiter = new MemoryRateLimiter(2);
    const at = (nowMs: number) => limiter.hit('a', nowMs);
    assert.deepEqual(await at(1000), { allowed: true, limit: 2, remaining: 1, resetAtMs: 61_000 });
    assert.deepEqual(await at(60_000), {
      allowed: true,
      limit: 2,
      remaining: 0,
      resetAtMs: 61_000,
    });
    assert.deepEqual(await at(60_999), {
      allowed: false,
      limit: 2,
      remaining: 0,
      resetAtMs: 61_000,
    });
    assert.deepEqual(await at(61_000), {
      allowed: true,
      limit: 2,
      remaining: 1,
      resetAtMs: 121_000,
    });
  });

  test('addresses do not share a count', async () => {
    const limiter = new MemoryRateLimiter(1);
    assert.equal((await limiter.hit('a', 0)).allowed, true);
    assert.equal((await limiter.hit('b', 0)).allowed, true);
    assert.equal((await limiter.hit('a', 0)).allowed, false);
  });

  test('a clock set back does not keep a window open', async () => {
    const limiter = new MemoryRateLimiter(1);
    await limiter.hit('a', 10_000_000);
    assert.equal((await limiter.hit('a', 5_000)).allowed, true);
  });

  test('closed windows are forgotten', async () => {
    const limiter = new MemoryRateLimiter(1);
    for (let n = 0; n < 1000; n++) await limiter.hit(`a${n}`, 0);
    await limiter.hit('b', 60_000);
    assert.equal(limiter.size, 1);
  });

  test('a flood of addresses takes bounded memory and rejects no request', async () => {
    const limiter = new MemoryRateLimiter(1, 10);
    for (let n = 0; n < 1000; n++) assert.ok((await limiter.hit(`a${n}`, n)).allowed);
    assert.equal(limiter.size, 10);
    assert.equal((await limiter.hit('a999', 1000)).allowed, false);
  });
});
