import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  aClaimant,
  aClaimedJob,
  aCron,
  aJob,
  aNode,
  aPausingWindow,
  aQueue,
  aSettlement,
  aTeam,
  claimJobs,
  LEASE_MS,
} from '#testing/factories';
import { holdRows } from '#testing/holder';
import { forEachStore, openPostgresTestStore, TEST_START } from '#testing/stores';
import type { Claim } from './claims.ts';
import { change, remove } from '../database/rows.ts';
import type { Queue } from '../queues/queues.ts';
import type { Store } from '../store.ts';
import { NO_LIMITS } from '../figures/usage.ts';

/** Claims from a queue again, as the engine does, while another claim has its rows locked. */
async function claimUnlocked(...claim: Parameters<typeof claimJobs>) {
  for (;;) {
    const result = await claimJobs(...claim);
    const isSkipped = ['nothing', 'locked'].includes(result.groups[0]?.blocker ?? '');
    if (result.claimed.length > 0 || result.blocked > 0 || !isSkipped) return result;
  }
}

describe('claiming due jobs', () => {
  forEachStore((_name, openTestStore) => {
    test('a claim carries the whole request and the queue’s settings', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      await store.teams.setSigningSecret(team.id, 'hush', TEST_START);
      const assertions = [{ kind: 'body-contains', text: 'ok' }] as never;
      await aQueue(store, team.id, { timeoutSeconds: 7, assertions, concurrencyLimit: 3 });
      const request = {
        method: 'PUT',
        url: 'http://target.example/a?b=1',
        headers: [['X-Key', 'k']],
        payload: '{"a":1.0}',
        callbackUrl: 'http://caller.example/done',
      } as const;
      const node = await aNode(store);
      const job = await aClaimedJob(store, team.id, node, request);
      const { id, queueId, place: _place, ...rest } = job;
      assert.deepEqual(rest, {
        ...request,
        kind: 'job',
        teamId: team.id,
        originalId: id,
        attemptNumber: 1,
        hasConcurrencyLimit: true,
        timeoutSeconds: 7,
        assertions,
        signingSecret: 'hush',
        slowSeconds: null,
        keepsResponseBody: true,
        unreadable: null,
        startedAt: TEST_START,
        dueAt: TEST_START,
      });
      assert.equal((await store.queues.findByName(team.id, 'emails'))?.id, queueId);
    });

    test('each run of a claim has the signing secret of its own team', async () => {
      await using store = await openTestStore();
      const secrets = ['one', null, 'three'];
      const teams = await Promise.all(secrets.map(() => aTeam(store)));
      const queues = [];
      for (const [n, { id: teamId }] of teams.entries()) {
        const secret = secrets[n];
        if (secret) await store.teams.setSigningSecret(teamId, secret, TEST_START);
        const { queueId } = await aJob(store, teamId);
        queues.push({ id: queueId, teamId, slots: 1 });
        await aCron(store, teamId, { nextRunAt: TEST_START });
      }
      const claimant = aClaimant(store, await aNode(store));
      const jobs = await store.runs.claimJobs(queues, claimant);
      const crons = await store.runs.claimExecutions(
        teams.map(({ id }) => ({ id, teamId: id, slots: 1 })),
        claimant,
      );
      for (const { claimed } of [jobs, crons]) {
        const found = new Map(claimed.map((run) => [run.teamId, run.signingSecret]));
        assert.deepEqual(
          teams.map(({ id }) => found.get(id)),
          secrets,
        );
      }
    });

    test('the earliest jobs are claimed first, simultaneous ones in the order of acceptance', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const late = await aJob(store, team.id, { delaySeconds: 5 });
      const soon = await aJob(store, team.id, { delaySeconds: 1 });
      const next = await aJob(store, team.id, { delaySeconds: 1 });
      await store.testClock.advance(10_000);
      const ask = { queueIds: [late.queueId], slots: 1 };
      const order = [];
      for (let n = 0; n < 3; n++) {
        const { claimed } = await claimJobs(store, node, ask);
        order.push(...claimed.map(({ id }) => id));
      }
      assert.deepEqual(order, [soon.jobId, next.jobId, late.jobId]);
    });

    test('a claim that begins where the last one ended passes nothing over', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const jobIds = [];
      const queueIds = [];
      for (const delaySeconds of [1, 2, 2, 3, 4, 4, 60]) {
        const { jobId, queueId } = await aJob(store, team.id, { delaySeconds });
        jobIds.push(jobId);
        queueIds.push(queueId);
      }
      await store.testClock.advance(10_000);
      const [queueId = ''] = queueIds;
      const order: string[] = [];
      let from: number | null = 0;
      while (from !== null && from <= store.clock.now()) {
        const asked = [{ id: queueId, slots: 2, from }];
        const claim: Claim = await store.runs.claimJobs(asked, aClaimant(store, node));
        order.push(...claim.claimed.map(({ id }) => id));
        from = claim.groups[0]?.nextDueAt ?? null;
      }
      assert.deepEqual(order, jobIds.slice(0, -1));
      assert.equal(from, TEST_START + 60_000);
    });

    test('more slots than one claim fills are filled by the next', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const queues = ['a', 'b'];
      const accepted = await Promise.all(
        Array.from({ length: 1_300 }, (_, n) =>
          aJob(store, team.id, { queue: queues[n % 2] ?? '' }),
        ),
      );
      const queueIds = [...new Set(accepted.map(({ queueId }) => queueId))];
      const first = await claimJobs(store, node, { queueIds, slots: 2_000 });
      const again = first.groups.filter(({ nextDueAt }) => nextDueAt !== null);
      const second = await store.runs.claimJobs(
        again.map(({ id, nextDueAt }) => ({ id, slots: 2_000, from: nextDueAt ?? 0 })),
        aClaimant(store, node),
      );
      assert.equal(first.claimed.length + second.claimed.length, 1_300);
    });

    test('slots are never exceeded, queue by queue', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const queueIds = [];
      for (const queue of ['a', 'b', 'c', 'd', 'e']) {
        for (let n = 0; n < 3; n++) queueIds.push((await aJob(store, team.id, { queue })).queueId);
      }
      const asked = [...new Set(queueIds)].map((queueId, n) => ({ id: queueId, slots: n }));
      const claimant = { nodeId: node, now: TEST_START, limits: NO_LIMITS };
      const { claimed } = await store.runs.claimJobs(asked, claimant);
      const counts = Map.groupBy(claimed, ({ queueId }) => queueId);
      assert.deepEqual(
        asked.map(({ id }) => counts.get(id)?.length ?? 0),
        [0, 1, 2, 3, 3],
      );
    });

    test('two nodes that claim together never get the same job', async () => {
      await using store = await openTestStore({ onThisThread: false });
      const other = await store.openAnother();
      const team = await aTeam(store);
      const nodes = [await aNode(store), await aNode(store)] as const;
      const accepted = await Promise.all(Array.from({ length: 40 }, () => aJob(store, team.id)));
      const queueIds = [...new Set(accepted.map(({ queueId }) => queueId))];
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          claimJobs(n % 2 ? store : other, nodes[n % 2] ?? '', { queueIds, slots: 3 }),
        ),
      );
      const ids = claims.flatMap(({ claimed }) => claimed.map(({ id }) => id));
      assert.equal(new Set(ids).size, ids.length);
      const rest = await claimJobs(store, nodes[0], { queueIds, slots: 100 });
      assert.equal(ids.length + rest.claimed.length, 40);
    });

    test('a concurrency limit holds across nodes that race for it', async () => {
      await using store = await openTestStore({ onThisThread: false });
      const other = await store.openAnother();
      const team = await aTeam(store);
      const nodes = [await aNode(store), await aNode(store)] as const;
      const { id: queueId } = await aQueue(store, team.id, { concurrencyLimit: 3 });
      await Promise.all(Array.from({ length: 20 }, () => aJob(store, team.id)));
      const race = () =>
        Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            claimUnlocked(n % 2 ? store : other, nodes[n % 2] ?? '', {
              queueIds: [queueId],
              slots: 2,
            }),
          ),
        );
      const claims = await race();
      const claimed = claims.flatMap((claim) => claim.claimed);
      assert.equal(claimed.length, 3);
      assert.ok(claims.some(({ groups }) => groups[0]?.blocker === 'at-limit'));
      const first = claimed[0];
      assert.ok(first);
      for (const node of nodes) await store.runs.settle(node, aSettlement(store, first));
      assert.equal((await race()).flatMap((claim) => claim.claimed).length, 1);
    });

    test('a deleted team’s jobs are never started', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const { queueId } = await aJob(store, team.id);
      await change(store.database, 'teams', { id: team.id }, { deleted_at: 1 });
      const { claimed, groups } = await claimJobs(store, node, { queueIds: [queueId] });
      assert.deepEqual(claimed, []);
      assert.equal(groups[0]?.blocker, 'gone');
    });

    for (const [how, pause] of [
      ['is paused', (store, queue) => aQueue(store, queue.teamId, { isPaused: true })],
      [
        'a window pauses',
        (store, { teamId, id }) => aPausingWindow(store, teamId, [{ kind: 'queue', id }]),
      ],
    ] as readonly [string, (store: Store, queue: Queue) => Promise<unknown>][]) {
      test(`jobs of a queue that ${how} are not claimed, whether the queue has a limit or not`, async () => {
        await using store = await openTestStore();
        const team = await aTeam(store);
        const node = await aNode(store);
        const queue = await aQueue(store, team.id);
        await aJob(store, team.id);
        await pause(store, queue);
        const claimed = async () =>
          (await claimJobs(store, node, { queueIds: [queue.id] })).claimed.length;
        assert.equal(await claimed(), 0);
        await aQueue(store, team.id, { concurrencyLimit: 3 });
        assert.equal(await claimed(), 0);
      });
    }

    test('a node that was declared dead, or that never joined, gets nothing', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const dead = await aNode(store);
      const { queueId, jobId } = await aJob(store, team.id);
      await remove(store.database, 'nodes', { id: dead });
      for (const node of [dead, jobId]) {
        assert.deepEqual((await claimJobs(store, node, { queueIds: [queueId] })).claimed, []);
      }
      assert.equal((await stateOf(store, team.id, jobId))[0], 'pending');
      assert.equal(await store.usage.usedInMonth(team.id, TEST_START), 0);
    });

    test('a node that was not declared dead keeps claiming with an old lease (§3.6)', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      await store.testClock.advance(100 * LEASE_MS);
      assert.ok(await aClaimedJob(store, team.id, node));
    });

    test('more queues than fit one statement are served in one claim', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const jobs = await Promise.all(
        Array.from({ length: 70 }, (_, n) => aJob(store, team.id, { queue: `q${n}` })),
      );
      const queueIds = jobs.map(({ queueId }) => queueId);
      const { claimed, groups } = await claimJobs(store, node, { queueIds });
      assert.equal(claimed.length, 70);
      assert.equal(groups.length, 70);
    });
  });
});

describe('the monthly limit', () => {
  forEachStore((_name, openTestStore) => {
    test('a test run is counted like any other', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const tries = [];
      for (let n = 0; n < 3; n++) tries.push(await store.usage.countOne(team.id, 2, TEST_START));
      assert.deepEqual(tries, [true, true, false]);
      assert.equal(await store.usage.usedInMonth(team.id, TEST_START), 2);
    });
  });
});

describe('a node that is declared dead while it claims, on Postgres', () => {
  for (const [queue, limit] of [
    ['a queue', null],
    ['a queue with a limit', 5],
  ] as const) {
    test(`a node declared dead while it claims gets no job of ${queue}`, async () => {
      await using store = await openPostgresTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      await aQueue(store, team.id, { concurrencyLimit: limit });
      const { queueId, jobId } = await aJob(store, team.id);
      await using holder = await holdRows(store);
      await holder.query(`delete from nodes where id = '${node}'`);
      const { work } = await holder.untilWaiting(() =>
        claimJobs(store, node, { queueIds: [queueId] }),
      );
      await holder.query('commit');
      assert.deepEqual((await work).claimed, []);
      assert.equal((await stateOf(store, team.id, jobId))[0], 'pending');
    });
  }

  test('a node declared dead while it claims gets no execution of a cron', async () => {
    await using store = await openPostgresTestStore();
    const team = await aTeam(store);
    const node = await aNode(store);
    await aCron(store, team.id, { nextRunAt: TEST_START });
    await using holder = await holdRows(store);
    await holder.query(`delete from nodes where id = '${node}'`);
    const asked = [{ id: team.id, slots: 1 }];
    const { work } = await holder.untilWaiting(() =>
      store.runs.claimExecutions(asked, aClaimant(store, node)),
    );
    await holder.query('commit');
    assert.deepEqual((await work).claimed, []);
  });
});

test('a job that is fired during a claim is claimed by the next one', async () => {
  await using store = await openPostgresTestStore();
  const team = await aTeam(store);
  const node = await aNode(store);
  const [fired, other] = [await aJob(store, team.id), await aJob(store, team.id)];
  await using holder = await holdRows(store);
  await holder.query(`select 1 from nodes where id = '${node}' for update`);
  const claiming = claimJobs(store, node, { queueIds: [fired.queueId] });
  await holder.untilSomebodyWaits();
  await store.jobs.fire(team.id, [fired.jobId]);
  await holder.query('commit');
  const claims = [await claiming];
  while (claims.at(-1)?.groups[0]?.nextDueAt !== null) {
    claims.push(await claimJobs(store, node, { queueIds: [fired.queueId] }));
  }
  const ids = claims.flatMap(({ claimed }) => claimed.map(({ id }) => id));
  assert.deepEqual(ids.toSorted(), [fired.jobId, other.jobId]);
  assert.equal(await store.usage.usedInMonth(team.id, TEST_START), 2);
});

async function stateOf(store: Store, teamId: string, jobId: string) {
  const job = await store.jobs.find(teamId, jobId);
  return [job?.status, job?.startedAt];
}
