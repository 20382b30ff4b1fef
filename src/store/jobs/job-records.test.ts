import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aQueue, aTeam } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { forEachStore } from '#testing/stores';
import type { Queue } from '../queues/queues.ts';

forEachStore((_, openTestStore) => {
  test('the list reads a rare queue behind many other jobs in short statements', async () => {
    const ran: string[] = [];
    await using store = await openTestStore({ onStatement: ({ sql }) => ran.push(sql) });
    const { id: team_id } = await aTeam(store);
    const rare = await aQueue(store, team_id, { name: 'rare' });
    const busy = await aQueue(store, team_id, { name: 'busy' });
    const fill = (queue: Queue, count: number, status: 'success' | 'dead_lettered') => {
      const job = { team_id, queue_id: queue.id, status, completed_at: 1_000 };
      return fillJobs(
        store,
        Array.from({ length: count }, () => job),
      );
    };
    const older = await fill(rare, 3, 'success');
    const newestFirst = [...older, ...(await fill(rare, 1, 'dead_lettered'))].toReversed();
    await fill(busy, 1_200, 'success');
    const list = async (filter: { status?: 'success'; limit: number; before?: string }) =>
      (await store.jobs.list(team_id, { queueId: rare.id, ...filter })).map(({ id }) => id);
    ran.length = 0;
    assert.deepEqual(await list({ limit: 10 }), newestFirst);
    assert.equal(ran.filter((sql) => sql.includes('find-newest-jobs')).length, 3);
    assert.deepEqual(await list({ status: 'success', limit: 10 }), older.toReversed());
    const [first, second = '', ...rest] = newestFirst;
    assert.deepEqual(await list({ limit: 2 }), [first, second]);
    assert.deepEqual(await list({ limit: 10, before: second }), rest);
  });
});
