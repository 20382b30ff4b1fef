import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RanStatement } from '#store/database/runner';
import { ask } from '#testing/ask';
import { aClaimant, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { holdRows } from '#testing/holder';
import { pagesRead } from '#testing/plans';
import { openPostgresTestStore, postgresUrl } from '#testing/stores';
import { createWork } from './work.ts';

const COUNT = 6_020;
const BATCH = 500;

/** Entries of what was claimed since then stay in the indexes of what waits and of what runs. */
test('with an old snapshot the overview reads the claimed rows once', async () => {
  const ran: RanStatement[] = [];
  await using store = await openPostgresTestStore({
    isEmpty: true,
    onStatement: (each) => ran.push(each),
  });
  const work = createWork({ store });
  const team = await aTeam(store);
  const node = await aNode(store);
  const { id: queueId } = await aQueue(store, team.id, { name: 'busy' });
  const waiting = { team_id: team.id, queue_id: queueId };
  const from = store.testClock.now() - COUNT;
  const jobs = Array.from({ length: COUNT }, (_, n) => ({ ...waiting, scheduled_at: from + n }));
  await fillJobs(store, jobs);
  await ask(store, 'vacuum analyze jobs');
  await using holder = await holdRows(store);
  await holder.query('set transaction isolation level repeatable read');
  await holder.query('select 1 from jobs');
  const claim = async (slots: number) => {
    const asked = [{ id: queueId, slots, from: 0 }];
    const { claimed } = await store.runs.claimJobs(asked, aClaimant(store, node));
    await Promise.all(claimed.map((job) => store.runs.settle(node, aSettlement(store, job))));
  };
  const pagesOf = async (act: () => Promise<unknown>) => {
    ran.length = 0;
    await act();
    const pages = await Promise.all(ran.map((each) => pagesRead(postgresUrl(store), each)));
    return pages.reduce((sum, each) => sum + each, 0);
  };
  const claimMany = async () => {
    for (let n = 0; n < 6; n++) await claim(BATCH);
  };
  const measure = async () => ({
    overview: await pagesOf(async () => {
      assert.equal((await work.readOverview(team.id)).nextUp.length, 10);
    }),
    through: await pagesOf(() => claim(1)),
  });
  await claimMany();
  const soon = await measure();
  await claimMany();
  const later = await measure();
  const [more, once] = [later.overview - soon.overview, later.through - soon.through];
  assert.ok(once > 50, `${once} pages, where nothing is to be saved`);
  assert.ok(more < 1.4 * once, `${more} pages, once through are ${once}`);
});
