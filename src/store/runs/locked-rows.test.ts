import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdRows } from '#testing/holder';
import { aClaimant, aCron, aJob, aNode, aQueue, aTeam, aWaitingCallback } from '#testing/factories';
import { pluck } from '#testing/pluck';
import { openPostgresTestStore, TEST_START, type TestStore } from '#testing/stores';
import type { ClaimedCallback } from '../callbacks/callbacks.ts';
import type { GroupSlots } from './claims.ts';
import { wasLockedOut } from '../database/errors.ts';

const LIMIT = 1_000;

/** Makes two teams near their limits with three queues each, all with due jobs. Their counters have rows. */
async function makeTeams(store: TestStore) {
  const node = await aNode(store);
  const teams = [await aTeam(store), await aTeam(store)] as const;
  const groups: GroupSlots[] = [];
  for (const { id: teamId } of teams) {
    assert.ok(await store.usage.countOne(teamId, LIMIT, TEST_START));
    for (const queue of ['a', 'b', 'c']) {
      const { queueId } = await aJob(store, teamId, { queue });
      groups.push({ id: queueId, teamId, slots: 10, from: TEST_START });
    }
  }
  const claim = (limit: number | null = LIMIT) =>
    store.runs.claimJobs(groups, aClaimant(store, node, limit));
  return { node, teams, groups, claim };
}

describe('a claim on Postgres with a locked row', () => {
  test('a claim skips the queues of a team whose month is locked, until it is free', async () => {
    await using store = await openPostgresTestStore();
    const { node, teams, groups, claim } = await makeTeams(store);
    const [locked, other] = teams;
    for (const { id } of teams) await aCron(store, id, { nextRunAt: TEST_START });
    const asked = teams.map(({ id }) => ({ id, teamId: id, slots: 5, from: TEST_START }));
    const claimCrons = () => store.runs.claimExecutions(asked, aClaimant(store, node, LIMIT));
    const queues = groups.flatMap(({ id, teamId }) => (teamId === locked.id ? [id] : []));
    {
      await using holder = await holdRows(store);
      await holder.query(
        `select 1 from usage_months where team_id = '${locked.id}' and month = '2026-11' for update`,
      );
      const { claimed, groups: states } = await claim();
      assert.deepEqual(new Set(claimed.map(({ teamId }) => teamId)), new Set([other.id]));
      assert.equal(claimed.length, 3);
      const skipped = states.filter(({ id }) => queues.includes(id));
      assert.deepEqual(
        skipped,
        queues.map((id) => ({ id, nextDueAt: TEST_START, blocker: 'nothing' })),
        'probably the short lock of another claim, so it is tried again at once',
      );
      for (let n = 0; n < 3; n++) assert.equal((await claim()).claimed.length, 0);
      const later = (await claim()).groups.filter(({ id }) => queues.includes(id));
      assert.deepEqual(
        later,
        queues.map((id) => ({ id, nextDueAt: TEST_START, blocker: 'locked' })),
      );
      const ticks = await claimCrons();
      assert.deepEqual(pluck(ticks.claimed, 'teamId'), [other.id]);
      const ofLocked = ticks.groups.find(({ id }) => id === locked.id);
      assert.deepEqual(ofLocked, { id: locked.id, nextDueAt: TEST_START, blocker: 'nothing' });
    }
    assert.equal((await claimCrons()).claimed.length, 1);
    const { claimed } = await claim();
    assert.deepEqual(pluck(claimed, 'teamId'), [locked.id, locked.id, locked.id]);
  });

  test('a claim waits for no counter of a team without a limit or far from it', async () => {
    await using store = await openPostgresTestStore();
    const { teams, groups, claim } = await makeTeams(store);
    await using holder = await holdRows(store);
    await holder.query(`select 1 from usage_months where team_id = '${teams[0].id}' for update`);
    assert.equal((await claim(null)).claimed.length, 6);
    for (const { teamId = '' } of groups) await aJob(store, teamId, { queue: 'a' });
    assert.equal((await claim(1_000_000)).claimed.length, 6);
  });

  test('a claim skips a queue with a limit whose row is locked, and not the other queues of its team', async () => {
    await using store = await openPostgresTestStore();
    const { teams, groups, claim } = await makeTeams(store);
    await aQueue(store, teams[0].id, { name: 'b', concurrencyLimit: 2 });
    await using holder = await holdRows(store);
    await holder.query(`select 1 from queues where id = '${groups[1]?.id}' for update`);
    assert.equal((await claim()).claimed.length, 5);
    for (let n = 0; n < 3; n++) assert.equal((await claim()).claimed.length, 0);
    const locked = (await claim()).groups.filter(({ blocker }) => blocker === 'locked');
    assert.deepEqual(pluck(locked, 'id'), [groups[1]?.id]);
  });

  test('a counter that another transaction has just inserted delays its own team only', async () => {
    await using store = await openPostgresTestStore();
    const { node, teams, groups, claim } = await makeTeams(store);
    const [locked, other] = teams;
    await store.testClock.advanceTo('2026-12-01T00:00:00Z');
    for (const { id } of teams) await aCron(store, id, { nextRunAt: store.clock.now() });
    await using holder = await holdRows(store);
    const row = `'${locked.id}', '2026-12', 1`;
    await holder.query(`insert into usage_months (team_id, month, used) values (${row})`);
    const { claimed, groups: states } = await claim();
    assert.deepEqual(pluck(claimed, 'teamId'), [other.id, other.id, other.id]);
    assert.equal(states.length, groups.length);
    const slots = teams.map(({ id }) => ({ id, slots: 10 }));
    const ticks = await store.runs.claimExecutions(slots, aClaimant(store, node, LIMIT));
    assert.deepEqual(pluck(ticks.claimed, 'teamId'), [other.id]);
    await holder.query('rollback');
    assert.equal((await claim()).claimed.length, 3);
  });
});

test('claims skip locked crons, waiting executions and callbacks without waiting for them', async () => {
  await using store = await openPostgresTestStore();
  const node = await aNode(store);
  const { id: teamId } = await aTeam(store);
  const due = { nextRunAt: TEST_START };
  const crons = [await aCron(store, teamId, due), await aCron(store, teamId, due)];
  const { id: paused } = await aCron(store, teamId, { nextRunAt: null });
  const addExecution = () => store.crons.addExecution(teamId, paused, TEST_START);
  const waiting = [await addExecution(), await addExecution()];
  const callbacks = [
    await aWaitingCallback(store, teamId, node),
    await aWaitingCallback(store, teamId, node),
  ];
  const groups = [{ id: teamId, teamId, slots: 5, from: TEST_START }];
  const claim = async () => {
    const { claimed } = await store.runs.claimExecutions(groups, aClaimant(store, node, null));
    const taken = await store.callbacks.take(node, [{ teamId, slots: 5 }]);
    const [manual = [], scheduled = []] = [true, false].map((isManual) =>
      claimed.filter(({ cronId }) => (cronId === paused) === isManual),
    );
    return {
      waiting: manual.map(({ id }) => id),
      crons: scheduled.map(({ cronId }) => cronId),
      callbacks: taken.map(({ id }) => id),
    };
  };
  const nth = (n: number) => ({
    waiting: [waiting[n]?.id],
    crons: [crons[n]?.id],
    callbacks: [callbacks[n]],
  });
  {
    await using holder = await holdRows(store);
    await holder.query(`select 1 from crons where id = '${crons[0]?.id}' for update`);
    await holder.query(`select 1 from executions where id = '${waiting[0]?.id}' for update`);
    await holder.query(`select 1 from callbacks where id = '${callbacks[0]}' for update`);
    assert.deepEqual(await claim(), nth(1));
  }
  assert.deepEqual(await claim(), nth(0));
});

test('sent callbacks are deleted despite a locked row of another team', async () => {
  await using store = await openPostgresTestStore();
  const node = await aNode(store);
  const sent: ClaimedCallback[] = [];
  for (const { id: teamId } of [await aTeam(store), await aTeam(store)]) {
    await aWaitingCallback(store, teamId, node);
    sent.push(...(await store.callbacks.take(node, [{ teamId, slots: 1 }])));
  }
  const [locked, other] = sent;
  assert.ok(locked && other);
  {
    await using holder = await holdRows(store);
    await holder.query(`select 1 from callbacks where id = '${locked.id}' for update`);
    const [first, second] = await Promise.allSettled(sent.map((each) => store.callbacks.end(each)));
    assert.ok(first?.status === 'rejected' && wasLockedOut(first.reason));
    assert.equal(second?.status, 'fulfilled');
  }
  await store.callbacks.end(locked);
  assert.deepEqual(await store.nodes.releaseLostClaims(node, new Set()), []);
});
