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
      const { id, queueId } = job;
      const of = { kind: 'job', teamId: team.id, originalId: id, attemptNumber: 1 };
      const ofQueue = {
        hasConcurrencyLimit: true,
        timeoutSeconds: 7,
        assertions,
        slowSeconds: null,
      };
      const times = { startedAt: TEST_START, dueAt: TEST_START };
      const secrets = { signingSecret: 'hush', unreadable: null, keepsResponseBody: true };
      const whole = { id, queueId, place: job.place, ...request, ...of, ...ofQueue, ...times };
      assert.deepEqual(job, { ...whole, ...secrets });
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

    test('the earliest jobs are claimed first, simultaneous ones in the order of acceptance, and none is passed over', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const { id: queueId } = await aQueue(store, team.id);
      const jobs: { jobId: string; delaySeconds: number }[] = [];
      for (const delaySeconds of [4, 2, 1, 2, 60, 3, 4]) {
        jobs.push({ ...(await aJob(store, team.id, { delaySeconds })), delaySeconds });
      }
      await store.testClock.advance(10_000);
      const order: string[] = [];
      let from: number | null = 0;
      while (from !== null && from <= store.clock.now()) {
        const asked = [{ id: queueId, slots: 2, from }];
        const claim: Claim = await store.runs.claimJobs(asked, aClaimant(store, node));
        order.push(...claim.claimed.map(({ id }) => id));
        from = claim.groups[0]?.nextDueAt ?? null;
      }
      const due = jobs.toSorted((a, b) => a.delaySeconds - b.delaySeconds).slice(0, -1);
      assert.deepEqual(
        order,
        due.map(({ jobId }) => jobId),
      );
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

    test('slots are never exceeded, queue by queue, also for more queues than fit one statement', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const jobs = await Promise.all(
        Array.from({ length: 210 }, (_, n) => aJob(store, team.id, { queue: `q${n % 70}` })),
      );
      const asked = jobs.slice(0, 70).map(({ queueId }, n) => ({ id: queueId, slots: n % 5 }));
      const { claimed, groups } = await store.runs.claimJobs(asked, aClaimant(store, node));
      assert.equal(groups.length, 70);
      const counts = Map.groupBy(claimed, ({ queueId }) => queueId);
      assert.deepEqual(
        asked.map(({ id }) => counts.get(id)?.length ?? 0),
        asked.map(({ slots }) => Math.min(3, slots)),
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
      const asked = { queueIds: [queueId], slots: 2 };
      const race = () =>
        Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            claimUnlocked(n % 2 ? store : other, nodes[n % 2] ?? '', asked),
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

    test('jobs of paused queues, also by a window, and of deleted teams are not claimed', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const [paused, inWindow] = [
        await aJob(store, team.id, { queue: 'paused' }),
        await aJob(store, team.id, { queue: 'in window' }),
      ];
      await aQueue(store, team.id, { name: 'paused', isPaused: true });
      // A window of the team makes all its queues be claimed in steps.
      assert.deepEqual((await claimJobs(store, node, { queueIds: [paused.queueId] })).claimed, []);
      await aPausingWindow(store, team.id, [{ kind: 'queue', id: inWindow.queueId }]);
      const queueIds = [paused.queueId, inWindow.queueId];
      assert.deepEqual((await claimJobs(store, node, { queueIds })).claimed, []);
      for (const name of ['paused', 'in window'])
        await aQueue(store, team.id, { name, concurrencyLimit: 3 });
      assert.deepEqual((await claimJobs(store, node, { queueIds })).claimed, []);
      const gone = await aTeam(store);
      const { queueId } = await aJob(store, gone.id);
      await change(store.database, 'teams', { id: gone.id }, { deleted_at: 1 });
      const { claimed, groups } = await claimJobs(store, node, { queueIds: [queueId] });
      assert.deepEqual([claimed, groups[0]?.blocker], [[], 'gone']);
    });

    test('a node with an old lease claims until it is declared dead; an unknown one never does (§3.6)', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const [dead, late] = [await aNode(store), await aNode(store)];
      await store.testClock.advance(100 * LEASE_MS);
      const { queueId, jobId } = await aJob(store, team.id);
      await remove(store.database, 'nodes', { id: dead });
      for (const node of [dead, jobId]) {
        assert.deepEqual((await claimJobs(store, node, { queueIds: [queueId] })).claimed, []);
      }
      assert.equal((await store.jobs.find(team.id, jobId))?.status, 'pending');
      assert.equal(await store.usage.usedInMonth(team.id, TEST_START), 0);
      assert.equal((await claimJobs(store, late, { queueIds: [queueId] })).claimed.length, 1);
    });

    test('single runs are counted up to the monthly limit', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const tries = [];
      for (let n = 0; n < 3; n++) tries.push(await store.usage.countOne(team.id, 2, TEST_START));
      assert.deepEqual(tries, [true, true, false]);
      assert.equal(await store.usage.usedInMonth(team.id, TEST_START), 2);
    });
  });
});

test('a node declared dead while it claims on Postgres gets no job and no execution', async () => {
  await using store = await openPostgresTestStore();
  const team = await aTeam(store);
  await aQueue(store, team.id, { name: 'limited', concurrencyLimit: 5 });
  const [job, limited] = [
    await aJob(store, team.id),
    await aJob(store, team.id, { queue: 'limited' }),
  ];
  await aCron(store, team.id, { nextRunAt: TEST_START });
  const claims: ((node: string) => Promise<{ claimed: readonly unknown[] }>)[] = [
    (node) => claimJobs(store, node, { queueIds: [job.queueId] }),
    (node) => claimJobs(store, node, { queueIds: [limited.queueId] }),
    (node) => store.runs.claimExecutions([{ id: team.id, slots: 1 }], aClaimant(store, node)),
  ];
  for (const claim of claims) {
    const node = await aNode(store);
    await using holder = await holdRows(store);
    await holder.query(`delete from nodes where id = '${node}'`);
    const { work } = await holder.untilWaiting(() => claim(node));
    await holder.query('commit');
    assert.deepEqual((await work).claimed, []);
  }
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
