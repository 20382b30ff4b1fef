import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdRows } from '#testing/holder';
import { newId } from '#domain/ids';
import {
  aClaimant,
  aClaimedJob,
  aCron,
  aJob,
  aNode,
  aQueue,
  aSettlement,
  aTeam,
} from '#testing/factories';
import { openPostgresTestStore, TEST_START, type TestStore } from '#testing/stores';
import type { ClaimedCallback } from '../callbacks/callbacks.ts';
import type { FlowSlots } from './claims.ts';
import { StoreError } from '../database/errors.ts';
import { heldUp, isHeldUp } from './held-rows.ts';
import { HeldTeams } from './held-teams.ts';

const LIMIT = 1_000;

/** Makes two teams near their limits with three queues each, all with due jobs. Every counter already has its row. */
async function makeTeams(store: TestStore) {
  const node = await aNode(store);
  const teams = [await aTeam(store), await aTeam(store)] as const;
  const flows: FlowSlots[] = [];
  for (const { id: teamId } of teams) {
    assert.ok(await store.usage.countOne(teamId, LIMIT, TEST_START));
    for (const queue of ['a', 'b', 'c']) {
      const { queueId } = await aJob(store, teamId, { queue });
      flows.push({ id: queueId, teamId, slots: 10, from: TEST_START });
    }
  }
  const claim = (limit: number | null = LIMIT) =>
    store.runs.claimJobs(flows, aClaimant(store, node, limit));
  return { node, teams, flows, claim };
}

describe('a claim on Postgres with a locked row', () => {
  test('leaves out the flows of that team, and has them when it is let go', async () => {
    await using store = await openPostgresTestStore();
    const { teams, flows, claim } = await makeTeams(store);
    const [held, other] = teams;
    {
      await using holder = await holdRows(store);
      await holder.query(`select 1 from usage_months where team_id = '${held.id}' for update`);
      const { claimed, flows: seen } = await claim();
      assert.deepEqual(new Set(claimed.map(({ teamId }) => teamId)), new Set([other.id]));
      assert.equal(claimed.length, 3);
      const leftOut = seen.filter(({ holds }) => holds === 'held');
      const expected = flows.filter(({ teamId }) => teamId === held.id);
      assert.deepEqual(
        leftOut,
        expected.map(({ id }) => ({ id, nextDueAt: TEST_START, holds: 'held' })),
      );
    }
    const { claimed } = await claim();
    assert.deepEqual(
      claimed.map(({ teamId }) => teamId),
      [held.id, held.id, held.id],
    );
  });

  test('of a team without a limit, or far from it, waits for no counter', async () => {
    await using store = await openPostgresTestStore();
    const { teams, flows, claim } = await makeTeams(store);
    await using holder = await holdRows(store);
    for (const table of ['usage_months', 'usage_days']) {
      await holder.query(`select 1 from ${table} where team_id = '${teams[0].id}' for update`);
    }
    assert.equal((await claim(null)).claimed.length, 6);
    for (const { teamId = '' } of flows) await aJob(store, teamId, { queue: 'a' });
    assert.equal((await claim(1_000_000)).claimed.length, 6);
  });

  test('a claim skips a known locked queue until it is free', async () => {
    const ran: string[] = [];
    await using store = await openPostgresTestStore({ onStatement: ({ sql }) => ran.push(sql) });
    const { teams, claim } = await makeTeams(store);
    await using holder = await holdRows(store);
    await holder.query(`select 1 from usage_days where team_id = '${teams[0].id}' for update`);
    await claim();
    ran.length = 0;
    await claim();
    const names = ran.flatMap((sql) => /^\/\* ([\w-]+)/.exec(sql)?.[1] ?? []);
    assert.deepEqual(names, [
      'find-held-queues',
      'claim-jobs-at-once',
      'hold-limited-queues',
      'read-taken-slots',
      'claim-jobs-in-steps',
    ]);
  });

  test('leaves out a queue with a limit whose row is held, and not the team’s others', async () => {
    await using store = await openPostgresTestStore();
    const { teams, flows, claim } = await makeTeams(store);
    await aQueue(store, teams[0].id, { name: 'b', concurrencyLimit: 2 });
    await using holder = await holdRows(store);
    await holder.query(`select 1 from queues where id = '${flows[1]?.id}' for update`);
    const { claimed, flows: seen } = await claim();
    assert.equal(claimed.length, 5);
    const held = seen.flatMap(({ id, holds }) => (holds === 'held' ? [id] : []));
    assert.deepEqual(held, [flows[1]?.id]);
  });

  test('a claim tries queues one by one to find a locked row', async () => {
    await using store = await openPostgresTestStore();
    const { teams, flows, claim } = await makeTeams(store);
    await store.testClock.advanceTo('2026-12-01T00:00:00Z');
    await using holder = await holdRows(store);
    const row = `'${teams[0].id}', '2026-12', 1`;
    await holder.query(`insert into usage_months (team_id, month, used) values (${row})`);
    const { claimed, flows: seen } = await claim();
    assert.deepEqual(new Set(claimed.map(({ teamId }) => teamId)), new Set([teams[1].id]));
    assert.equal(claimed.length, 3);
    assert.equal(seen.length, flows.length);
    await holder.query('rollback');
    assert.equal((await claim()).claimed.length, 3);
  });

  test('runs the crons of the other teams', async () => {
    await using store = await openPostgresTestStore();
    const { node, teams } = await makeTeams(store);
    for (const { id } of teams) await aCron(store, id, { nextRunAt: TEST_START });
    const asked = teams.map(({ id }) => ({ id, slots: 5 }));
    const claim = () => store.runs.claimExecutions(asked, aClaimant(store, node, LIMIT));
    {
      await using holder = await holdRows(store);
      await holder.query(`select 1 from usage_months where team_id = '${teams[0].id}' for update`);
      const first = await claim();
      assert.deepEqual(
        first.claimed.map(({ teamId }) => teamId),
        [teams[1].id],
      );
      const held = first.flows.find(({ id }) => id === teams[0].id);
      assert.deepEqual(held, { id: teams[0].id, nextDueAt: TEST_START, holds: 'held' });
    }
    const second = await claim();
    assert.deepEqual(
      second.claimed.map(({ teamId }) => teamId),
      [teams[0].id],
    );
  });
});

test('sent callbacks are deleted despite a locked row of another team', async () => {
  await using store = await openPostgresTestStore();
  const node = await aNode(store);
  const sent: ClaimedCallback[] = [];
  for (const { id: teamId } of [await aTeam(store), await aTeam(store)]) {
    const job = await aClaimedJob(store, teamId, node);
    const told = { url: 'http://back.example/', body: '{}', createdAt: TEST_START };
    const callback = { teamId, id: newId(TEST_START), runId: job.id, ...told };
    await store.runs.settle(node, aSettlement(store, job, { callback }));
    sent.push(...(await store.callbacks.take(node, [{ teamId, slots: 1 }])));
  }
  const [held, other] = sent;
  assert.ok(held && other);
  {
    await using holder = await holdRows(store);
    await holder.query(`select 1 from callbacks_under_way where id = '${held.id}' for update`);
    const [first, second] = await Promise.allSettled(
      sent.map((each) => store.callbacks.end(node, each)),
    );
    assert.ok(first?.status === 'rejected' && isHeldUp(first.reason));
    assert.equal(second?.status, 'fulfilled');
  }
  await store.callbacks.end(node, held);
  assert.deepEqual(await store.nodes.releaseLostClaims(node, new Set()), []);
});

describe('a batch with a locked row', () => {
  /** A writer that refuses the teams in `held`. Every batch that was tried is in `batches`. */
  function makeWriter(held: Set<string>) {
    const batches: string[] = [];
    const write = async (items: readonly string[]) => {
      batches.push(items.join(' '));
      if (items.some((item) => held.has(item.charAt(0)))) throw heldUp();
      return items.map((item) => item.toUpperCase());
    };
    return { batches, write, teams: new HeldTeams<string>((item) => item.charAt(0)) };
  }

  test('a batch is written without its locked row, which is retried last', async () => {
    const held = new Set(['a']);
    const { batches, write, teams } = makeWriter(held);
    const [a1, b1, a2] = await teams.write(['a1', 'b1', 'a2'], write);
    assert.ok(a1 instanceof StoreError);
    assert.ok(a2 instanceof StoreError);
    assert.equal(b1, 'B1');
    assert.deepEqual(batches.splice(0), ['a1 b1 a2', 'a1 a2', 'b1']);
    await teams.write(['a1', 'b2', 'c1'], write);
    assert.deepEqual(batches.splice(0), ['b2 c1', 'a1']);
    held.clear();
    assert.deepEqual(await teams.write(['a1', 'b3'], write), ['A1', 'B3']);
    assert.deepEqual(batches.splice(0), ['b3', 'a1']);
    await teams.write(['a3', 'b4'], write);
    assert.deepEqual(batches, ['a3 b4']);
  });

  test('tries one of the teams that are held, however many there are, and each in turn', async () => {
    const { batches, write, teams } = makeWriter(new Set(['a', 'b', 'c']));
    await teams.write(['a1', 'b1', 'c1', 'd1'], write);
    for (const tried of ['a1', 'b1', 'c1', 'a1']) {
      batches.length = 0;
      const results = await teams.write(['b1', 'a1', 'c1', 'd1'], write);
      assert.deepEqual(batches, ['d1', tried]);
      assert.deepEqual(
        results.map((each) => each instanceof Error),
        [true, true, true, false],
      );
    }
  });

  test('a locked team delays no other team, and all are written once it is free', async () => {
    const held = new Set(['a', 'b', 'c', 'd']);
    const { write, teams } = makeWriter(held);
    const items = ['a1', 'b1', 'c1', 'd1'];
    await teams.write(items, write);
    for (const team of ['b', 'c', 'd']) held.delete(team);
    await teams.write(items, write);
    const [a1, ...others] = await teams.write(items, write);
    assert.ok(a1 instanceof StoreError);
    assert.deepEqual(others, ['B1', 'C1', 'D1']);
    held.clear();
    assert.deepEqual(await teams.write(items, write), ['A1', 'B1', 'C1', 'D1']);
  });

  test('rejects with any other fault', async () => {
    const teams = new HeldTeams<string>((item) => item);
    const write = () => Promise.reject(new StoreError('STORE_REFUSED', 'unlucky'));
    await assert.rejects(teams.write(['a', 'b'], write), { code: 'STORE_REFUSED' });
  });
});
