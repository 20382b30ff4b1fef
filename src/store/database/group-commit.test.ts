import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('an unreachable database is tried once per batch, not per item', async () => {
  let asked = 0;
  const write = async (): Promise<number[]> => {
    asked++;
    throw new StoreError('STORE_UNAVAILABLE', 'away');
  };
  const group = new GroupCommit<number, number>(write, { maxBatch: 10 });
  const outcomes = await Promise.allSettled([group.add(1), group.add(2)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(asked, 1);
});
