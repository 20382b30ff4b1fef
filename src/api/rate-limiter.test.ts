import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryRateLimiter } from './rate-limiter.ts';

describe('counting requests per address', () => {
  test('refused requests are not counted', async () => {
    const limiter = new MemoryRateLimiter(1);
    for (let n = 0; n < 3; n++) assert.equal((await limiter.hit('a', 0)).remaining, 0);
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
