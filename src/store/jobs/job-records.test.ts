import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aQueue, aTeam } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { forEachStore } from '#testing/stores';

forEachStore((_, openTestStore) => {
  describe('jobs by creation', () => {
    test('the list reads a rare queue behind many other jobs in short statements', async () => {
      const ran: string[] = [];
      await using store = await openTestStore({ onStatement: ({ sql }) => ran.push(sql) });
      const team = await aTeam(store);
      const [rare, busy] = [
        await aQueue(store, team.id, { name: 'rare' }),
        await aQueue(store, team.id, { name: 'busy' }),
      ];
      const of = (queueId: string, count: number, status: 'success' | 'dead_lettered') =>
        Array.from({ length: count }, () => {
          return { team_id: team.id, queue_id: queueId, status, completed_at: 1_000 };
        });
      const older = await fillJobs(store, of(rare.id, 3, 'success'));
      const dead = await fillJobs(store, of(rare.id, 1, 'dead_lettered'));
      await fillJobs(store, of(busy.id, 1_200, 'success'));
      const list = async (filter: { status?: 'success'; limit: number; before?: string }) =>
        (await store.jobs.list(team.id, { queueId: rare.id, ...filter })).map(({ id }) => id);
      ran.length = 0;
      const newestFirst = [...older, ...dead].toReversed();
      assert.deepEqual(await list({ limit: 10 }), newestFirst);
      assert.equal(ran.filter((sql) => sql.includes('find-newest-jobs')).length, 3);
      assert.deepEqual(await list({ status: 'success', limit: 10 }), older.toReversed());
      assert.deepEqual(await list({ limit: 2 }), newestFirst.slice(0, 2));
      assert.deepEqual(
        await list({ limit: 10, before: newestFirst[1] ?? '' }),
        newestFirst.slice(2),
      );
    });
  });
});
