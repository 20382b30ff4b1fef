import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_CHANNELS } from '#domain/alerts/notification-channel';
import { newId } from '#domain/base/ids';
import { countRows } from '#testing/ask';
import { aTeam } from '#testing/factories';
import { openPostgresTestStore } from '#testing/stores';
import { MOST_WINDOWS } from '../alerts/windows.ts';
import type { Store } from '../store.ts';
import { add, all } from './rows.ts';

interface Bounded {
  things: string;
  most: number;
  table: 'channels' | 'maintenance_windows' | 'bulk_tasks';
  add: (store: Store, teamId: string, n: number) => Promise<boolean>;
}

/** §8: what a team may have at most, while two processes add to it at once. */
const BOUNDED: Bounded[] = [
  {
    things: 'channels',
    most: MOST_CHANNELS,
    table: 'channels',
    async add(store, teamId, n) {
      const config = { kind: 'slack', url: `https://chat.test/${n}` } as const;
      const settings = { name: `${n}`, config, collectMinutes: null };
      return (await store.channels.add(teamId, settings, store.clock.now())).kind === 'saved';
    },
  },
  {
    things: 'maintenance windows',
    most: MOST_WINDOWS,
    table: 'maintenance_windows',
    async add(store, teamId) {
      const startsAt = store.clock.now();
      const time = { startsAt, endsAt: startsAt + 60_000, isWeekly: false };
      const window = { name: 'Move', ...time, covers: 'team' } as const;
      return (await store.windows.create(teamId, window, startsAt)) !== null;
    },
  },
  {
    things: 'open bulk actions',
    most: 5,
    table: 'bulk_tasks',
    async add(store, teamId) {
      const total = { count: 1, isMore: false };
      const task = { kind: 'retry', search: { tab: 'failed' }, total } as const;
      return (await store.bulkTasks.create(teamId, task, store.clock.now())) !== null;
    },
  },
];

for (const { things, most, table, add: addOne } of BOUNDED) {
  test(`a team's bound of ${things} holds for simultaneous additions`, async () => {
    await using store = await openPostgresTestStore();
    const both = [store, await store.openAnother()];
    const { id: teamId } = await aTeam(store);
    assert.ok(await addOne(store, teamId, 0));
    const rows: object[] = await all(store.database, table, {});
    // Not the default channel.
    const first = rows.find((row) => !('name' in row) || row.name !== null);
    const copies = Array.from({ length: most - 2 }, (_, n) => ({
      ...first,
      id: newId(store.clock.now()),
      ...(table === 'bulk_tasks' ? {} : { name: `copy ${n}` }),
    }));
    await add(store.database, table, copies as never);
    const before = await countRows(store, table);
    const added = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) => addOne(both[n % 2] ?? store, teamId, 1000 + n)),
    );
    assert.equal(added.filter(Boolean).length, 1);
    assert.equal(await countRows(store, table), before + 1);
  });
}

test('two simultaneous channels with one name: one is refused', async () => {
  await using store = await openPostgresTestStore();
  const both = [store, await store.openAnother()];
  const { id: teamId } = await aTeam(store);
  const config = { kind: 'slack', url: 'https://chat.test/' } as const;
  const outcomes = await Promise.all(
    both.map((each) =>
      each.channels.add(teamId, { name: 'ops', config, collectMinutes: null }, store.clock.now()),
    ),
  );
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), ['name-taken', 'saved']);
});
