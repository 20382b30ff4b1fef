import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { aTeam, aUser } from '#testing/factories';
import { forEachStore } from '#testing/stores';
import { LONGEST_DETAIL } from './activity.ts';

forEachStore((_, openTestStore) => {
  describe('activity', () => {
    test('activity is listed newest first in pages with the names of its time', async () => {
      await using store = await openTestStore();
      const { userId, teamId } = await aUser(store, 'ada@bells.test');
      const subject = { id: newId(store.clock.now()), name: 'Nightly' };
      await store.activity.record(teamId, { userId }, { action: 'cron.paused', subject }, 1_000);
      await store.users.changeName(userId, 'Countess', 1_500);
      await store.activity.record(teamId, { userId }, { action: 'cron.started', subject }, 2_000);
      await store.activity.record(teamId, 'command-line', { action: 'team.plan' }, 3_000);
      const all = await store.activity.list(teamId, { limit: 10 });
      assert.deepEqual(
        all.map(({ actor, actorId, action }) => [actor, actorId, action]),
        [
          ['Command line', null, 'team.plan'],
          ['Countess (ada@bells.test)', userId, 'cron.started'],
          ['ada (ada@bells.test)', userId, 'cron.paused'],
        ],
      );
      const [newest, second, oldest] = all;
      const list = async (filter: object) =>
        store.activity.list(teamId, { limit: 1, ...filter }).then((found) => found[0]?.id);
      assert.equal(await list({ before: newest?.id }), second?.id);
      assert.equal(await list({ after: oldest?.id }), second?.id);
      assert.equal(await list({ actorId: 'command-line' }), newest?.id);
      assert.equal(await list({ subjectId: subject.id, actorId: userId }), second?.id);
      assert.equal(await list({ actions: ['cron.paused'] }), oldest?.id);
      assert.equal(await list({ from: 1_000, to: 2_000 }), oldest?.id);
    });

    test('activity of an account is recorded in each team of the user only, with long details cut', async () => {
      await using store = await openTestStore();
      const { userId, teamId } = await aUser(store, 'ada@bells.test');
      const second = { name: 'Choir', plan: 'free', mostOwned: 9 };
      const secondId = await store.members.createTeam(userId, second, 1);
      const others = await aTeam(store);
      const detail = '😀'.repeat(LONGEST_DETAIL);
      await store.activity.recordOfUser(userId, { userId }, { action: 'account.token', detail }, 5);
      for (const id of [teamId, secondId ?? '']) {
        const [entry] = await store.activity.list(id, { limit: 1 });
        assert.ok(entry?.detail && entry.detail.length <= LONGEST_DETAIL);
      }
      assert.deepEqual(await store.activity.list(others.id, { limit: 10 }), []);
    });
  });
});
