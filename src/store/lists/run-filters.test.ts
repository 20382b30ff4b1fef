import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_RUN_FILTERS } from '#domain/run-filter';
import { aTeam } from '#testing/factories';
import { openPostgresTestStore, openSqliteTestStore } from '#testing/stores';

/** A team whose filters two processes save in turns, at once. */
async function aSharedTeam() {
  const store = await openPostgresTestStore();
  const both = [store, await store.openAnother()] as const;
  const { id: teamId } = await aTeam(store);
  return {
    save: (filter: { name: string; query: string }, n = 0) =>
      both[n % 2 === 0 ? 0 : 1].runFilters.save(teamId, filter, store.clock.now()),
    rename: (id: string, name: string, n: number) =>
      both[n % 2 === 0 ? 0 : 1].runFilters.rename(teamId, id, name),
    list: () => store.runFilters.list(teamId),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const FAILURES = 'status=failure';

test('of several filters that are saved under one name at once there is one', async () => {
  await using team = await aSharedTeam();
  const queries = [FAILURES, 'status=failed', 'status=retried', 'code=5xx'];
  const saved = await Promise.all(
    queries.map((query, n) => team.save({ name: 'failures', query }, n)),
  );
  assert.equal(saved.filter((each) => each?.isNew).length, 1);
  const kept = await team.list();
  assert.equal(kept.length, 1);
  assert.deepEqual(new Set(saved.map((each) => each?.filter.id)), new Set([kept[0]?.id]));
});

test('of two filters that get one name at once one is refused', async () => {
  await using team = await aSharedTeam();
  const made = [];
  for (const name of ['one', 'two']) made.push(await team.save({ name, query: FAILURES }));
  const renamed = await Promise.all(
    made.map((each, n) => team.rename(each?.filter.id ?? '', 'failures', n)),
  );
  assert.deepEqual(renamed.toSorted(), ['done', 'name-taken']);
});

test('a team has no more filters than it may have, however many are saved at once', async () => {
  await using team = await aSharedTeam();
  for (let n = 1; n < MOST_RUN_FILTERS; n++) await team.save({ name: `${n}`, query: FAILURES });
  const names = ['one', 'two', 'three', 'four'];
  const saved = await Promise.all(names.map((name, n) => team.save({ name, query: FAILURES }, n)));
  assert.equal(saved.filter((each) => each !== null).length, 1);
  assert.equal((await team.list()).length, MOST_RUN_FILTERS);
});

test('a filter is renamed and deleted by its own team alone', async () => {
  await using store = await openSqliteTestStore();
  const [own, other] = [await aTeam(store), await aTeam(store)];
  const filter = { name: 'failures', query: FAILURES };
  const saved = await store.runFilters.save(own.id, filter, store.clock.now());
  const id = saved?.filter.id ?? '';
  assert.equal(await store.runFilters.rename(other.id, id, 'theirs'), 'not-found');
  assert.equal(await store.runFilters.delete(other.id, id), false);
  assert.deepEqual(await store.runFilters.list(own.id), [{ id, ...filter }]);
});
