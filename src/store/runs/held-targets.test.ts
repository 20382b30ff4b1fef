import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { QueueSettings } from '#domain/queue-settings';
import {
  aClaimant,
  aClaimedJob,
  aJob,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
} from '#testing/factories';
import type { ClaimedJob } from '#store/runs/claims';
import { holdRows } from '#testing/holder';
import { forEachStore, openPostgresTestStore, type OpenTestStore } from '#testing/stores';

const DAY_MS = 86_400_000;
const TARGET = 'https://target.test';

describe('a target that asks for a wait (§3.4)', () => {
  forEachStore((_name, openTestStore) => {
    test('holds any number of due retries, and lets those behind them start', async () => {
      await using scene = await makeScene(openTestStore);
      const { store, claim, hold, retries } = scene;
      await retries(450, `${TARGET}/old`);
      const [free] = await retries(1, 'https://other.test/');
      const until = store.clock.now() + 60_000;
      await hold(until);
      await store.testClock.advance(1000);
      const started = await claim(2);
      assert.deepEqual(
        started.claimed.map(({ id }) => id),
        [free],
      );
      assert.equal(started.flows[0]?.nextDueAt, until);
      await store.testClock.advance(60_000);
      assert.equal((await claim(500)).claimed.length, 450);
    });

    test('holds those, too, that a claim comes to behind more jobs than it looks at', async () => {
      await using scene = await makeScene(openTestStore);
      const { store, claim, hold, retries } = scene;
      const free = await retries(200, 'https://other.test/');
      await store.testClock.advance(1);
      await retries(1, TARGET);
      await hold(store.clock.now() + 60_000);
      const { claimed } = await claim(500);
      assert.deepEqual(new Set(claimed.map(({ id }) => id)), new Set(free));
      assert.equal((await claim(500)).claimed.length, 0);
    });

    test('holds none for longer than a day after the attempt before, though others go on to be told so', async () => {
      await using scene = await makeScene(openTestStore);
      const { store, claim, hold, retries } = scene;
      const made = store.clock.now();
      await retries(1, TARGET);
      await hold(made + DAY_MS);
      await store.testClock.advance(DAY_MS / 2);
      await hold(store.clock.now() + DAY_MS);
      const held = await claim(1);
      assert.deepEqual([held.claimed.length, held.flows[0]?.nextDueAt], [0, made + DAY_MS]);
      await store.testClock.advance(DAY_MS / 2);
      assert.equal((await claim(1)).claimed.length, 1);
    });

    test('is not let go by a shorter wait, and not where the queue stops waiting', async () => {
      await using scene = await makeScene(openTestStore, { rate: { count: 1, per: 'second' } });
      const { store, team, queue, claim, hold, retries } = scene;
      await retries(2, `${TARGET}:443/a`);
      const until = store.clock.now() + 60_000;
      await hold(until);
      await hold(until - 30_000);
      await store.testClock.advance(40_000);
      const held = await claim(5);
      assert.deepEqual([held.claimed.length, held.flows[0]?.nextDueAt], [0, until]);
      assert.equal('notBefore' in (held.flows[0] ?? {}), false, 'its rate is not spent');
      await retries(1, TARGET);
      await store.queues.update(team.id, queue.id, { honorsRetryAfter: false });
      assert.equal((await claim(5)).claimed.length, 1);
      await store.testClock.advance(60_000);
      await store.retention.deleteSome('holds', {
        now: store.clock.now(),
        historyDays: 30,
        limit: 10,
      });
      assert.equal(await countHeld(store), 0);
    });

    test('is forgotten with its queue', async () => {
      await using scene = await makeScene(openTestStore);
      const { store, team, queue, hold } = scene;
      await hold(store.clock.now() + 60_000);
      assert.equal(await countHeld(store), 1);
      await store.queues.delete(team.id, queue.id);
      assert.equal(await countHeld(store), 0);
    });
  });

  test(
    'on Postgres lets the queue go on while somebody holds a retry',
    { timeout: 60_000 },
    async () => {
      await using scene = await makeScene(openPostgresTestStore);
      const { store, claim, hold, retries } = scene;
      const [held] = await retries(1, TARGET);
      const [free] = await retries(1, 'https://other.test/');
      await hold(store.clock.now() + 60_000);
      {
        await using holder = await holdRows(store);
        await holder.query(`select 1 from jobs where id = '${held}' for update`);
        const { claimed } = await claim(1);
        assert.deepEqual(
          claimed.map(({ id }) => id),
          [free],
        );
      }
      const after = await claim(1);
      assert.deepEqual(
        [after.claimed.length, after.flows[0]?.nextDueAt],
        [0, store.clock.now() + 60_000],
      );
    },
  );

  test('on Postgres lets the queue rest while somebody holds all that a claim looks at', async () => {
    await using scene = await makeScene(openPostgresTestStore);
    const { store, claim, hold, retries } = scene;
    await retries(200, TARGET);
    await hold(store.clock.now() + 60_000);
    {
      await using holder = await holdRows(store);
      await holder.query('select 1 from jobs where attempt_number = 2 for update');
      const { claimed, flows } = await claim(1);
      assert.deepEqual([claimed.length, flows[0]?.holds], [0, 'held']);
    }
    assert.equal((await claim(1)).flows[0]?.nextDueAt, store.clock.now() + 60_000);
  });
});

type Scene = Awaited<ReturnType<typeof makeScene>>;

async function makeScene(openTestStore: OpenTestStore, settings: Partial<QueueSettings> = {}) {
  const store = await openTestStore();
  const team = await aTeam(store);
  const queue = await aQueue(store, team.id, { honorsRetryAfter: true });
  const node = await aNode(store);
  const running: ClaimedJob[] = [];
  for (let n = 0; n < 3; n++)
    running.push(await aClaimedJob(store, team.id, node, { url: TARGET }));
  await store.queues.update(team.id, queue.id, settings);
  const claim = (slots: number) =>
    store.runs.claimJobs([{ id: queue.id, slots }], aClaimant(store, node));
  return {
    store,
    team,
    queue,
    claim,
    /** Lets a first attempt of the queue end with the target's wish to be left alone. */
    hold: async (until: number) => {
      const job = running.pop();
      assert.ok(job);
      await store.runs.settle(node, aSettlement(store, job, { holdsUntil: until }));
    },
    /** Retries that are due now. */
    retries: async (count: number, url: string) => {
      const jobs = await Promise.all(
        Array.from({ length: count }, () => aJob(store, team.id, { url })),
      );
      const ids = jobs.map(({ jobId }) => jobId);
      await store.database.transact((trx) =>
        trx.updateTable('jobs').set({ attempt_number: 2 }).where('id', 'in', ids).execute(),
      );
      return ids;
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
    },
  };
}

async function countHeld(store: Scene['store']): Promise<number> {
  const rows = await store.database.read((db) =>
    db.selectFrom('held_targets').select('until').execute(),
  );
  return rows.length;
}
