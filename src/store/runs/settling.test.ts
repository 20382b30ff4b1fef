import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { ask } from '#testing/ask';
import {
  aCallback,
  aClaimedJob,
  aJob,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
  aWaitingCallback,
  LEASE_MS,
} from '#testing/factories';
import { pluck } from '#testing/pluck';
import { forEachStore, TEST_START } from '#testing/stores';
import { storableText } from '../database/storable-text.ts';
import type { ClaimedJob } from './claims.ts';

const NO_TEXT = Buffer.from([0, 254, 255]);

describe('settling attempts', () => {
  forEachStore((_name, openTestStore) => {
    test('a settlement without a claim changes nothing', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const [node, other] = [await aNode(store), await aNode(store)];
      const queue = await aQueue(store, team.id, { emailAlerts: true });
      const job = await aClaimedJob(store, team.id, node);
      const whole = (who: ClaimedJob) =>
        aSettlement(store, who, {
          status: 'retried',
          response: { body: Buffer.from('x'), totalBytes: 1, trace: '{}' },
          next: { id: newId(TEST_START), scheduledAt: TEST_START },
          callback: aCallback(store, who),
          alert: 'failure',
          certificate: { host: 'a.example', endsAt: TEST_START, endsSoon: true },
        });
      const before = await store.jobs.find(team.id, job.id);
      assert.equal(await store.runs.settle(other, whole(job)), false);
      assert.equal(await store.runs.settle(node, whole({ ...job, id: newId(TEST_START) })), false);
      assert.deepEqual(await store.jobs.find(team.id, job.id), before);
      assert.equal((await store.jobs.list(team.id, { limit: 10 })).length, 1);
      assert.deepEqual(await store.callbacks.scanWaiting(), []);
      assert.equal(await store.runs.settle(node, aSettlement(store, job)), true);
      assert.equal(await store.runs.settle(node, whole(job)), false);
      assert.equal((await store.jobs.list(team.id, { limit: 10 })).length, 1);
      assert.deepEqual(await store.alerts.list(team.id, { limit: 9 }), []);
      assert.deepEqual(await store.certificates.listOfSource(team.id, queue.id), []);
    });

    test('a lost claim of one run does not affect retries and callbacks of others', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const gone = { ...(await aClaimedJob(store, team.id, node)), id: newId(TEST_START) };
      const failed = await aClaimedJob(store, team.id, node);
      const retry = { id: newId(TEST_START), scheduledAt: TEST_START };
      const settle = (job: ClaimedJob, next = retry) => {
        const followUps = { next, callback: aCallback(store, job) };
        return store.runs.settle(
          node,
          aSettlement(store, job, { status: 'retried', ...followUps }),
        );
      };
      const ofGone = { ...retry, id: newId(TEST_START) };
      assert.deepEqual(await Promise.all([settle(gone, ofGone), settle(failed)]), [false, true]);
      const attempts = await store.jobs.listAttempts(team.id, failed.id);
      assert.deepEqual(pluck(attempts, 'id'), [failed.id, retry.id]);
      const taken = await store.callbacks.take(node, [{ teamId: team.id, slots: 10 }]);
      assert.deepEqual(pluck(taken, 'runId'), [failed.id]);
    });

    test('the next attempt is a new job with the same request and the first one’s id', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const request = {
        method: 'PATCH',
        url: 'http://target.example/x',
        headers: [['X-Key', 'k']],
        payload: '{"n":1.0}',
        callbackUrl: 'http://caller.example/',
      } as const;
      const first = await aClaimedJob(store, team.id, node, request);
      await store.testClock.advance(500);
      const next = { id: newId(store.clock.now()), scheduledAt: store.clock.now() + 60_000 };
      await store.runs.settle(node, aSettlement(store, first, { status: 'retried', next }));
      const kept = await store.jobs.find(team.id, next.id);
      const { originalId, queueId, createdAt, scheduledAt } = kept ?? {};
      assert.deepEqual([originalId, queueId], [first.id, first.queueId]);
      assert.deepEqual([createdAt, scheduledAt], [TEST_START + 500, TEST_START + 60_500]);
      const { method, url, headers, payload, callbackUrl } = kept ?? {};
      assert.deepEqual({ method, url, headers, payload, callbackUrl }, request);
      assert.equal((await store.jobs.find(team.id, first.id))?.status, 'retried');
      const attempts = await store.jobs.listAttempts(team.id, first.id);
      assert.deepEqual(
        attempts.map(({ id, attemptNumber }) => [id, attemptNumber]),
        [
          [first.id, 1],
          [next.id, 2],
        ],
      );
    });

    test('outcome and callback are written together or not at all', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const job = await aClaimedJob(store, team.id, node);
      const broken = { ...aCallback(store, job), url: null as never };
      const settlement = aSettlement(store, job, { callback: broken });
      const accepted = aJob(store, team.id);
      await assert.rejects(store.runs.settle(node, settlement), { code: 'STORE_REFUSED' });
      assert.equal((await store.jobs.find(team.id, job.id))?.status, 'processing');
      const { jobId } = await accepted;
      assert.ok(await store.jobs.find(team.id, jobId), 'writes beside it succeed');
      await store.runs.settle(node, aSettlement(store, job, { callback: aCallback(store, job) }));
      const taken = await store.callbacks.take(node, [{ teamId: team.id, slots: 10 }]);
      assert.deepEqual(
        taken.map(({ runId, url }) => [runId, url]),
        [[job.id, 'http://caller.example/done']],
      );
    });

    test('a job is settled if its row has moved since the claim', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const jobs = [];
      for (let n = 0; n < 4; n++) jobs.push(await aClaimedJob(store, team.id, node));
      const [a, b, c, other] = jobs;
      assert.ok(a && b && c && other);
      // The place of `a` is now that of another job, and nothing lies at the place of `b`.
      const nowhere = store.dialect === 'postgres' ? '(0,0)' : 1_000_000;
      const moved = [{ ...a, place: other.place }, { ...b, place: nowhere }, c];
      const settle = () =>
        Promise.all(moved.map((job) => store.runs.settle(node, aSettlement(store, job))));
      assert.deepEqual(await settle(), [true, true, true]);
      assert.deepEqual(await settle(), [false, false, false]);
      assert.equal((await store.jobs.find(team.id, other.id))?.status, 'processing');
      const ended = await ask<{ id: string }>(store, 'select id from ended_jobs order by id');
      assert.deepEqual(pluck(ended, 'id'), [a.id, b.id, c.id]);
    });

    test('texts that look like packed rows are stored unchanged, others with U+FFFD', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const texts = [
        'null',
        'NULL',
        '',
        '{"a,b"}',
        '\\',
        '"\\"',
        '\\"},{"',
        '\n\t',
        ' x ',
        '\\x00',
      ];
      texts.push('Connection error: \0\ud800');
      const jobs: ClaimedJob[] = [];
      for (const _ of texts) jobs.push(await aClaimedJob(store, team.id, node));
      await Promise.all(
        jobs.map((job, n) => {
          const text = texts[n] ?? '';
          const body = Buffer.concat([Buffer.from(text), NO_TEXT]);
          const response = { body, totalBytes: n, trace: text };
          const end = { errorMessage: text, reason: n % 2 ? null : ('timeout' as const) };
          return store.runs.settle(node, aSettlement(store, job, { end, response }));
        }),
      );
      for (const [n, { id }] of jobs.entries()) {
        const kept = await store.jobs.find(team.id, id);
        const { trace, totalBytes, body = [] } = kept?.response ?? {};
        const text = storableText(texts[n] ?? '');
        const reason = n % 2 ? null : 'timeout';
        const found = [kept?.errorMessage, trace, totalBytes, kept?.reason];
        assert.deepEqual(found, [text, text, n, reason]);
        const bytes = Buffer.concat([Buffer.from(texts[n] ?? ''), NO_TEXT]);
        assert.deepEqual(Buffer.from(body), bytes);
        const end = [kept?.status, kept?.responseStatus, kept?.durationMs, kept?.completedAt];
        assert.deepEqual(end, ['success', 200, 12, TEST_START]);
      }
    });

    test('callbacks of a team are taken once by takers that race, oldest first', async () => {
      await using store = await openTestStore({ onThisThread: false });
      const other = await store.openAnother();
      const team = await aTeam(store);
      await store.teams.setSigningSecret(team.id, 'hush', TEST_START);
      const node = await aNode(store);
      const runIds = [];
      for (let n = 0; n < 12; n++) {
        const job = await aClaimedJob(store, team.id, node);
        await store.runs.settle(node, aSettlement(store, job, { callback: aCallback(store, job) }));
        runIds.push(job.id);
      }
      assert.deepEqual(await store.callbacks.scanWaiting(), [team.id]);
      const { id: otherTeam } = await aTeam(store);
      assert.deepEqual(await store.callbacks.take(node, [{ teamId: otherTeam, slots: 1 }]), []);
      const [first] = await store.callbacks.take(node, [{ teamId: team.id, slots: 1 }]);
      assert.equal(first?.runId, runIds[0]);
      assert.equal(first?.signingSecret, 'hush');
      const takes = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? store : other).callbacks.take(node, [{ teamId: team.id, slots: 3 }]),
        ),
      );
      const rest = await store.callbacks.take(node, [{ teamId: team.id, slots: 100 }]);
      const taken = [...takes.flat(), ...rest].map(({ runId }) => runId);
      assert.deepEqual(taken.toSorted(), runIds.slice(1));
      assert.deepEqual(await other.callbacks.scanWaiting(), []);
    });
  });
});

describe('dead nodes', () => {
  forEachStore((name, openTestStore) => {
    test('running jobs of a dead node are dead-lettered once, without callbacks, and it does nothing more', async () => {
      await using store = await openTestStore({ onThisThread: false });
      const other = await store.openAnother();
      const team = await aTeam(store);
      const dead = await aNode(store);
      const job = await aClaimedJob(store, team.id, dead, {
        callbackUrl: 'http://caller.example/',
      });
      const waiting = await aJob(store, team.id, { delaySeconds: 1000 });
      const alive = await aNode(store);
      const seen = await store.nodes.readOthers(alive);
      await store.testClock.advance(LEASE_MS);
      const now = store.clock.now();
      const found = await Promise.all([
        store.nodes.recoverDead(alive, now, seen),
        other.nodes.recoverDead(alive, now, seen),
      ]);
      assert.equal(
        found.reduce((sum, { deadLettered }) => sum + deadLettered, 0),
        1,
      );
      assert.deepEqual(
        found.flatMap(({ nodeIds }) => nodeIds),
        [dead],
      );
      const kept = await store.jobs.find(team.id, job.id);
      assert.deepEqual([kept?.status, kept?.reason], ['dead_lettered', 'worker_failed']);
      assert.equal(kept?.errorMessage, 'The worker stopped while the request was running.');
      assert.deepEqual([kept.completedAt, kept.durationMs], [now, LEASE_MS]);
      assert.deepEqual(await store.callbacks.scanWaiting(), []);
      assert.equal((await store.jobs.find(team.id, waiting.jobId))?.status, 'pending');
      assert.equal(await store.runs.settle(dead, aSettlement(store, job)), false);
      assert.equal((await store.jobs.find(team.id, job.id))?.status, 'dead_lettered');
      const others = await store.nodes.readOthers(dead);
      assert.deepEqual((await store.nodes.recoverDead(dead, now, others)).nodeIds, []);
      assert.equal(await store.nodes.renew(dead, now, LEASE_MS), false);
      await aWaitingCallback(store, team.id, alive);
      assert.deepEqual(await store.callbacks.take(dead, [{ teamId: team.id, slots: 10 }]), []);
    });

    test('a node that has renewed its lease since it was read is not declared dead, though the clock stood still', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const [late, alive] = [await aNode(store), await aNode(store)];
      const job = await aClaimedJob(store, team.id, late);
      const seen = await store.nodes.readOthers(alive);
      assert.equal(seen[0]?.isGone, name === 'sqlite', 'a file has one node');
      assert.equal(await store.nodes.renew(late, store.clock.now(), LEASE_MS), true);
      const found = await store.nodes.recoverDead(alive, store.clock.now(), seen);
      assert.deepEqual(found.nodeIds, []);
      assert.equal(await store.runs.settle(late, aSettlement(store, job)), true);
    });

    test('one run can be abandoned by its own node only', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const [node, other] = [await aNode(store), await aNode(store)];
      const job = await aClaimedJob(store, team.id, node);
      const beside = await aClaimedJob(store, team.id, node, { queue: 'beside' });
      assert.equal(await store.nodes.abandon(other, job, store.clock.now()), false);
      assert.equal(await store.nodes.abandon(node, job, store.clock.now()), true);
      const kept = await store.jobs.find(team.id, job.id);
      assert.deepEqual([kept?.status, kept?.reason], ['dead_lettered', 'worker_failed']);
      assert.equal((await store.jobs.find(team.id, beside.id))?.status, 'processing');
    });
  });
});
