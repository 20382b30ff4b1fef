import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from './errors.ts';
import { LockedTeams } from './locked-teams.ts';

/** A writer that refuses the teams in `locked`: an item's first letter. Every batch that was tried is in `batches`. */
function makeWriter(locked: Set<string>) {
  const batches: string[] = [];
  const write = async (items: readonly string[]) => {
    batches.push(items.join(' '));
    if (items.some((item) => locked.has(item.charAt(0)))) {
      throw new StoreError('STORE_UNAVAILABLE', 'locked', { cause: { code: '55P03' } });
    }
    return items.map((item) => item.toUpperCase());
  };
  return { batches, write, teams: new LockedTeams<string>((item) => item.charAt(0)) };
}

test('a batch is written without its locked team, which is tried last until it is free', async () => {
  const locked = new Set(['a']);
  const { batches, write, teams } = makeWriter(locked);
  const [a1, b1, a2] = await teams.write(['a1', 'b1', 'a2'], write);
  assert.ok(a1 instanceof StoreError);
  assert.ok(a2 instanceof StoreError);
  assert.equal(b1, 'B1');
  assert.deepEqual(batches.splice(0), ['a1 b1 a2', 'a1 a2', 'b1']);
  await teams.write(['a1', 'b2', 'c1'], write);
  assert.deepEqual(batches.splice(0), ['b2 c1', 'a1']);
  locked.clear();
  assert.deepEqual(await teams.write(['a1', 'b3'], write), ['A1', 'B3']);
  assert.deepEqual(batches.splice(0), ['b3', 'a1']);
  await teams.write(['a3', 'b4'], write);
  assert.deepEqual(batches, ['a3 b4']);
});

test('each batch tries one of several locked teams, the one tried longest ago', async () => {
  const { batches, write, teams } = makeWriter(new Set(['a', 'b', 'c']));
  await teams.write(['a1', 'b1', 'c1', 'd1'], write);
  for (const tried of ['a1', 'b1', 'c1', 'a1']) {
    batches.length = 0;
    const results = await teams.write(['b1', 'a1', 'c1', 'd1'], write);
    assert.deepEqual(batches, ['d1', tried]);
    assert.deepEqual(
      results.map((each) => each instanceof Error),
      [true, true, true, false],
    );
  }
});

test('a locked team delays no other team, and all are written once they are free', async () => {
  const locked = new Set(['a', 'b', 'c', 'd']);
  const { write, teams } = makeWriter(locked);
  const items = ['a1', 'b1', 'c1', 'd1'];
  await teams.write(items, write);
  for (const team of ['b', 'c', 'd']) locked.delete(team);
  await teams.write(items, write);
  const [a1, ...others] = await teams.write(items, write);
  assert.ok(a1 instanceof StoreError);
  assert.deepEqual(others, ['B1', 'C1', 'D1']);
  locked.clear();
  assert.deepEqual(await teams.write(items, write), ['A1', 'B1', 'C1', 'D1']);
});

test('a batch with any other fault rejects as a whole', async () => {
  const teams = new LockedTeams<string>((item) => item);
  const write = () => Promise.reject(new StoreError('STORE_REFUSED', 'unlucky'));
  await assert.rejects(teams.write(['a', 'b'], write), { code: 'STORE_REFUSED' });
});
