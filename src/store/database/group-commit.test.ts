import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pluck } from '#testing/pluck';
import { StoreError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';

/** A writer that writes nothing. Each batch ends when the test says so. */
function makeWriter() {
  const batches: number[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const write = async (items: readonly number[]) => {
    batches.push([...items]);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise;
    return items.map((item) => -item);
  };
  return { batches, ends, write };
}

function whenInHand(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

test('items that arrive during a batch form the next one, and each gets its own result', async () => {
  const { batches, ends, write } = makeWriter();
  const group = new GroupCommit(write, { maxBatch: 10 });
  const results = [group.add(1), group.add(2)];
  await whenInHand();
  results.push(group.add(3), group.add(4));
  await whenInHand();
  assert.deepEqual(batches, [[1, 2]]);
  ends[0]?.resolve();
  // It is handled before the next batch is put together, so it still belongs to that batch.
  setImmediate(() => results.push(group.add(5)));
  await whenInHand();
  assert.deepEqual(batches[1], [3, 4, 5]);
  ends[1]?.resolve();
  assert.deepEqual(await Promise.all(results), [-1, -2, -3, -4, -5]);
});

test('no batch is larger than it may be', async () => {
  const sizes: number[] = [];
  const write = async (items: readonly number[]) => {
    sizes.push(items.length);
    return items;
  };
  const group = new GroupCommit(write, { maxBatch: 3 });
  await Promise.all(Array.from({ length: 8 }, (_, n) => group.add(n)));
  assert.deepEqual(sizes, [3, 3, 2]);
});

test('one bad item does not take its neighbours with it', async () => {
  const write = async (items: readonly number[]) => {
    if (items.includes(13)) throw new StoreError('STORE_REFUSED', 'unlucky');
    return items;
  };
  const group = new GroupCommit(write, { maxBatch: 10 });
  const outcomes = await Promise.allSettled([group.add(1), group.add(13), group.add(2)]);
  assert.deepEqual(pluck(outcomes, 'status'), ['fulfilled', 'rejected', 'fulfilled']);
});

test('an unreachable database is tried once per batch, not per item', async () => {
  let asked = 0;
  const write = async (): Promise<number[]> => {
    asked++;
    throw new StoreError('STORE_UNAVAILABLE', 'away');
  };
  const group = new GroupCommit<number, number>(write, { maxBatch: 10 });
  const outcomes = await Promise.allSettled([group.add(1), group.add(2)]);
  assert.deepEqual(pluck(outcomes, 'status'), ['rejected', 'rejected']);
  assert.equal(asked, 1);
});

describe('a batch that meets a locked row', () => {
  /** Refuses the teams in `locked`: an item's first letter. Every batch that was tried is in `batches`. */
  function makeLocked(...teams: string[]) {
    const [batches, locked] = [[] as string[], new Set(teams)];
    const write = async (items: readonly string[]) => {
      batches.push(items.join(' '));
      if (!items.some((item) => locked.has(item.charAt(0)))) return items;
      throw new StoreError('STORE_UNAVAILABLE', 'locked', { cause: { code: '55P03' } });
    };
    const group = new GroupCommit(write, { maxBatch: 10, teamOf: (item) => item.charAt(0) });
    /** @returns those that were written, and all batches that this took */
    const add = async (...items: string[]) => {
      const outcomes = await Promise.allSettled(items.map((item) => group.add(item)));
      const written = items.filter((_, n) => outcomes[n]?.status === 'fulfilled');
      return { written: written.join(' '), batches: batches.splice(0) };
    };
    return { locked, add };
  }

  test('a batch is written without its locked team, which is tried last until it is free', async () => {
    const { locked, add } = makeLocked('a');
    const first = await add('a1', 'b1', 'a2');
    assert.deepEqual(first, { written: 'b1', batches: ['a1 b1 a2', 'a1 a2', 'b1'] });
    const second = await add('a1', 'b2', 'c1');
    assert.deepEqual(second, { written: 'b2 c1', batches: ['b2 c1', 'a1'] });
    locked.clear();
    assert.deepEqual(await add('a1', 'b3'), { written: 'a1 b3', batches: ['b3', 'a1'] });
    assert.deepEqual(await add('a3', 'b4'), { written: 'a3 b4', batches: ['a3 b4'] });
  });

  test('each batch tries one of several locked teams, the one tried longest ago', async () => {
    const { locked, add } = makeLocked('a', 'b', 'c');
    await add('a1', 'b1', 'c1', 'd1');
    for (const tried of ['a1', 'b1', 'c1', 'a1']) {
      const expected = { written: 'd1', batches: ['d1', tried] };
      assert.deepEqual(await add('b1', 'a1', 'c1', 'd1'), expected);
    }
    locked.clear();
    assert.equal((await add('a1', 'b1', 'c1')).written, 'a1 b1 c1');
  });
});
