import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask } from '#testing/ask';
import { fillJobs } from '#testing/fill';
import { holdRows } from '#testing/holder';
import { pagesOfWaiting, pagesRead } from '#testing/plans';
import { aClaimant, aNode, aQueue, aSettlement, aTeam } from '#testing/factories';
import { openPostgresTestStore, postgresUrl, TEST_START } from '#testing/stores';
import type { RanStatement } from '../database/runner.ts';
import { RECOUNT_MS } from './taken-slots.ts';
import type { Store } from '../store.ts';

const COUNT = 8_000;

async function aBusyQueue(store: Store): Promise<{ queueId: string; node: string }> {
  const team = await aTeam(store);
  const node = await aNode(store);
  const { id: queueId } = await aQueue(store, team.id, { name: 'busy' });
  const waiting = { team_id: team.id, queue_id: queueId };
  const jobs = Array.from({ length: COUNT }, (_, n) => ({ ...waiting, scheduled_at: n + 1 }));
  await fillJobs(store, jobs);
  return { queueId, node };
}

/**
 * A claimed job's entry stays in the index of waiting jobs until a vacuum, or until its page is needed. A busy queue
 * leaves hundreds of thousands of them.
 */
describe('claims on Postgres after many claims', () => {
  test('a claim skips the index entries of jobs that earlier claims took', async () => {
    const ran: RanStatement[] = [];
    await using store = await openPostgresTestStore({
      isEmpty: true,
      onStatement: (each) => ran.push(each),
    });
    const { queueId, node } = await aBusyQueue(store);
    await ask(store, 'vacuum jobs');
    // Otherwise the server would vacuum within a minute and remove the entries that the claims below leave.
    await ask(store, 'alter table jobs set (autovacuum_enabled = false)');
    const claim = (slots: number, from: number) =>
      store.runs.claimJobs([{ id: queueId, slots, from }], aClaimant(store, node));
    let from = 0;
    for (let left = COUNT - 500; left > 0; left -= 500) {
      from = (await claim(500, from)).groups[0]?.nextDueAt ?? Number.NaN;
    }
    ran.length = 0;
    await claim(1, from);
    await claim(1, 0);
    const claims = ran.filter(({ sql }) => sql.includes('claim-jobs-at-once'));
    const [behind = Number.NaN, through = Number.NaN] = await Promise.all(
      claims.map((each) => pagesOfWaiting(postgresUrl(store), each)),
    );
    assert.ok(behind <= 8, `${behind} pages`);
    assert.ok(through > 10 * behind, `${through} pages, where nothing is to be saved`);
  });
});

/** An old snapshot (a dump, a forgotten `psql`) keeps vacuum from removing rows that it could see. */
describe('claims on Postgres with an old snapshot', () => {
  test('a queue with a limit is counted, lost claims are looked for and runs end at the same cost, however much ran since', async () => {
    const ran: RanStatement[] = [];
    await using store = await openPostgresTestStore({
      isEmpty: true,
      onStatement: (each) => ran.push(each),
    });
    const team = await aTeam(store);
    const node = await aNode(store);
    const { id: queueId } = await aQueue(store, team.id, { name: 'busy', concurrencyLimit: 40 });
    await using holder = await holdRows(store);
    await holder.query('set transaction isolation level repeatable read');
    await holder.query('select 1 from jobs');
    let due = 0;
    const runSome = async (count: number) => {
      const jobs = Array.from({ length: count }, () => ({
        team_id: team.id,
        queue_id: queueId,
        scheduled_at: ++due,
      }));
      await fillJobs(store, jobs);
      const asked = [{ id: queueId, slots: count, from: due - count + 1 }];
      const { claimed } = await store.runs.claimJobs(asked, aClaimant(store, node));
      assert.equal(claimed.length, count);
      ran.length = 0;
      await Promise.all(claimed.map((job) => store.runs.settle(node, aSettlement(store, job))));
      await store.testClock.advance(10);
    };
    const countPages = async () => {
      // As the server does by itself now and then; here at a moment at which next to nothing waits.
      await ask(store, 'analyze jobs');
      await runSome(1);
      const asked = [{ id: queueId, slots: 1, from: due + 1 }];
      await store.runs.claimJobs(asked, aClaimant(store, node));
      const doubt = { queueIds: [queueId], since: store.clock.now() };
      await store.nodes.releaseLostClaims(node, new Set(), doubt);
      const reads = ran.filter(({ sql }) => /^\/\* (claim|read|find-doubtful|end)-/.test(sql));
      assert.ok(reads.some(({ sql }) => sql.includes('find-doubtful')));
      assert.ok(reads.some(({ sql }) => sql.includes('end-jobs')));
      const pages = await Promise.all(reads.map((each) => pagesRead(postgresUrl(store), each)));
      return pages.reduce((sum, each) => sum + each, 0);
    };
    await runSome(40);
    // Until then all running jobs are counted, because the limit is new.
    await store.testClock.advance(RECOUNT_MS + 1);
    await runSome(40);
    const soon = await countPages();
    for (let n = 0; n < 75; n++) await runSome(40);
    const later = await countPages();
    assert.ok(later <= 1.5 * soon, `${later} pages after 3,080 runs, ${soon} after 80`);
  });
});

describe('scans on Postgres', () => {
  test('a scan finds jobs that wait for long, and every ten minutes jobs of any time', async () => {
    await using store = await openPostgresTestStore();
    const clock = store.testClock;
    const team = await aTeam(store);
    const { id: queueId } = await aQueue(store, team.id, { name: 'busy' });
    const fill = (scheduled_at: number) =>
      fillJobs(store, [{ team_id: team.id, queue_id: queueId, scheduled_at }]);
    await store.runs.scanQueues();
    await clock.advance(200_000);
    const nextDueAt = clock.now();
    await fill(nextDueAt);
    const waits = { id: queueId, teamId: team.id, nextDueAt };
    assert.deepEqual(await store.runs.scanQueues(), [waits]);
    await clock.advance(300_000);
    // Until then a scan begins at the earliest job that the last one found.
    const overlooked = TEST_START + 15_000;
    await fill(overlooked);
    for (let n = 0; n < 2; n++) assert.deepEqual(await store.runs.scanQueues(), [waits]);
    await clock.advance(600_000);
    assert.deepEqual(await store.runs.scanQueues(), [{ ...waits, nextDueAt: overlooked }]);
  });
});
