import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_CHANNELS } from '#domain/alerts/notification-channel';
import { aTeam } from '#testing/factories';
import { openPostgresTestStore } from '#testing/stores';
import { MOST_WINDOWS } from '../alerts/windows.ts';
import type { Store } from '../store.ts';

/** §8: what a team may have at most, while two processes add to it at once. */
const ADDED: [
  things: string,
  most: number,
  add: Add,
  list: (store: Store, teamId: string) => Many,
][] = [
  [
    'channels',
    MOST_CHANNELS,
    async (store, teamId, n) => {
      const config = { kind: 'slack', url: `https://chat.test/${n}` } as const;
      const settings = { name: `${n}`, config, collectMinutes: null };
      const { kind } = await store.channels.add(teamId, settings, store.clock.now());
      return kind === 'saved';
    },
    async (store, teamId) => {
      const [_default, ...named] = await store.channels.list(teamId);
      return named;
    },
  ],
  [
    'maintenance windows',
    MOST_WINDOWS,
    async (store, teamId, n) => {
      const startsAt = store.clock.now();
      const time = { startsAt, endsAt: startsAt + 60_000, isWeekly: false };
      const window = { name: `${n}`, ...time, covers: 'team' } as const;
      return (await store.windows.create(teamId, window, startsAt)) !== null;
    },
    (store, teamId) => store.windows.list(teamId),
  ],
  [
    'open bulk actions',
    5,
    async (store, teamId) => {
      const search = { tab: 'failed' } as const;
      const total = { count: 1, isMore: false };
      const task = { kind: 'retry', search, total } as const;
      return (await store.bulkTasks.create(teamId, task, store.clock.now())) !== null;
    },
    (store, teamId) => store.bulkTasks.list(teamId),
  ],
];

type Add = (store: Store, teamId: string, n: number) => Promise<boolean>;
type Many = Promise<readonly unknown[]>;

for (const [things, most, add, list] of ADDED) {
  test(`a team's bound of ${things} holds for simultaneous additions`, async () => {
    await using store = await openPostgresTestStore();
    const both = [store, await store.openAnother()];
    const { id: teamId } = await aTeam(store);
    for (let n = 1; n < most; n++) assert.ok(await add(store, teamId, n));
    const added = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) => add(both[n % 2] ?? store, teamId, 1000 + n)),
    );
    assert.equal(added.filter(Boolean).length, 1);
    assert.equal((await list(store, teamId)).length, most);
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
