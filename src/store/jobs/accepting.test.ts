import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#testing/any-text';
import { aJob, aNewJob, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { pluck } from '#testing/pluck';
import { forEachStore, openPostgresTestStore, TEST_START } from '#testing/stores';
import { all } from '../database/rows.ts';

describe('accepting jobs', () => {
  forEachStore((_name, openTestStore) => {
    test('ids of jobs accepted together sort in the order of asking', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const asked = Array.from({ length: 30 }, (_, n) => `http://target.example/${n}`);
      await Promise.all(asked.map((url) => aJob(store, team.id, { url })));
      const listed = await store.jobs.list(team.id, { limit: 100 });
      assert.deepEqual(listed.map(({ url }) => url).toReversed(), asked);
    });

    test('payload, headers and URLs come back byte for byte', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const text = anyText({ maxLength: 200 }).map((given) =>
        given.replaceAll('\0', '').toWellFormed(),
      );
      const anything = fc.record(
        {
          payload: fc.option(text),
          url: text,
          callbackUrl: fc.option(text),
          headers: fc.array(fc.tuple(fc.string(), anyText()), { maxLength: 5 }),
        },
        { noNullPrototype: true },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 20 }), async (jobs) => {
          const accepted = await Promise.all(jobs.map((job) => aJob(store, team.id, job)));
          for (const [n, { jobId }] of accepted.entries()) {
            const kept = await store.jobs.find(team.id, jobId);
            const { payload, url, callbackUrl, headers } = kept ?? {};
            assert.deepEqual({ payload, url, callbackUrl, headers }, jobs[n]);
          }
        }),
        { numRuns: 10 },
      );
    });

    test('NUL and half a surrogate pair in a text are stored as U+FFFD', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const text = 'a\0b\ud800c';
      const stored = 'a\uFFFDb\uFFFDc';
      const [odd, plain] = await Promise.all([
        aJob(store, team.id, { queue: text, url: text, payload: text }),
        aJob(store, team.id),
      ]);
      const { queue, url, payload } = (await store.jobs.find(team.id, odd.jobId)) ?? {};
      assert.deepEqual([queue, url, payload], [stored, stored, stored]);
      assert.equal((await store.jobs.find(team.id, plain.jobId))?.queue, 'emails');
      assert.equal((await aJob(store, team.id, { queue: text })).queueId, odd.queueId);
    });

    test('a job that the database rejects fails alone', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const wrong = { ...aNewJob(team.id), method: null as never };
      const outcomes = await Promise.allSettled([
        aJob(store, team.id),
        store.jobs.accept(wrong),
        aJob(store, team.id),
      ]);
      assert.deepEqual(pluck(outcomes, 'status'), ['fulfilled', 'rejected', 'fulfilled']);
      const refusal = outcomes[1] as PromiseRejectedResult;
      assert.equal((refusal.reason as { code: string }).code, 'STORE_REFUSED');
      assert.equal((await store.jobs.list(team.id, { limit: 10 })).length, 2);
    });

    test('headers and signing secrets are stored encrypted', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      await store.teams.setSigningSecret(team.id, 'hush-signing-secret', TEST_START);
      const { jobId } = await aJob(store, team.id, {
        headers: [['Authorization', 'Bearer hush-header']],
        url: 'http://target.example/plain-to-see',
      });
      const { database } = store;
      const raw = [...(await all(database, 'jobs', {})), ...(await all(database, 'teams', {}))];
      assert.match(JSON.stringify(raw), /plain-to-see/);
      assert.doesNotMatch(JSON.stringify(raw), /hush|Authorization/);
      const job = await store.jobs.find(team.id, jobId);
      assert.deepEqual(job?.headers, [['Authorization', 'Bearer hush-header']]);
      assert.equal((await store.teams.readSigningSecret(team.id))?.secret, 'hush-signing-secret');
    });
  });
});

test('a job for a new queue of a locked team delays no job of another team', async () => {
  await using store = await openPostgresTestStore();
  const [locked, other] = [await aTeam(store), await aTeam(store)];
  await aJob(store, other.id);
  await using holder = await holdRows(store);
  await holder.query(`select 1 from teams where id = '${locked.id}' for update`);
  const waiting = aJob(store, locked.id);
  await aJob(store, other.id);
  await holder.query('rollback');
  assert.ok(await waiting);
});
