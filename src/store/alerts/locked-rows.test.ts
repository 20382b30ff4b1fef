import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { aCron, aNode, aTeam, FAILED, runCron } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { pluck } from '#testing/pluck';
import { openPostgresTestStore } from '#testing/stores';
import { all, change, not } from '../database/rows.ts';

/** A wait for a row's lock lasts as long as this, unless a statement limits it. */
const LOCK_WAIT_MS = 5_000;

test('a locked row does not delay reminders of other sources', async () => {
  await using store = await openPostgresTestStore();
  const [locked, other] = [await aTeam(store), await aTeam(store)];
  const [first, second] = [await aCron(store, locked.id), await aCron(store, other.id)];
  const now = store.clock.now();
  // Neither fails any more, so the look at each ends its reminders.
  const toRemind = { [first.id]: now - 2, [second.id]: now - 1 };
  for (const [id, remind_at] of Object.entries(toRemind))
    await change(store.database, 'crons', { id: id }, { remind_at });
  const due = async () => pluck(await all(store.database, 'crons', { remind_at: not(null) }), 'id');
  {
    await using holder = await holdRows(store);
    await holder.query(`select 1 from crons where id = '${first.id}' for update`);
    const from = performance.now();
    await store.alerts.raiseReminders(now);
    assert.ok(performance.now() - from < LOCK_WAIT_MS, 'waits no whole lock wait');
    assert.deepEqual(await due(), [first.id]);
  }
  await store.alerts.raiseReminders(now);
  assert.deepEqual(await due(), []);
});

test('a locked row does not delay ends of other maintenance windows', async () => {
  await using store = await openPostgresTestStore();
  const now = store.clock.now();
  const makeEnded = async () => {
    const { id: teamId } = await aTeam(store);
    const settings = { name: 'Move', startsAt: now - 2, endsAt: now - 1, isWeekly: false };
    const made = await store.windows.create(teamId, { ...settings, covers: 'team' }, now);
    assert.ok(made);
    return made.id;
  };
  const [first, second] = [await makeEnded(), await makeEnded()];
  const unhandled = async () =>
    pluck(await all(store.database, 'maintenance_windows', { notified_until: null }), 'id');
  for (const locked of [first, second]) {
    await using holder = await holdRows(store);
    await holder.query(`select 1 from maintenance_windows where id = '${locked}' for update`);
    await store.windows.notifyEnds();
    assert.deepEqual(await unhandled(), [locked]);
    const others = { id: not(locked) };
    await change(store.database, 'maintenance_windows', others, { notified_until: null });
  }
  await store.windows.notifyEnds();
  assert.deepEqual(await unhandled(), []);
});

test('a locked notification does not delay the claim of others', async () => {
  await using store = await openPostgresTestStore();
  const { id: teamId } = await aTeam(store);
  const node = await aNode(store, 1e9);
  for (const name of ['first', 'second'])
    await runCron(store, node, await aCron(store, teamId, { name, alertThreshold: 1 }), FAILED);
  const waiting = await all(store.database, 'notifications', {}, { order: ['next_try_at', 'id'] });
  const [locked, other] = waiting.map(({ id }) => id);
  assert.ok(locked !== undefined && other !== undefined);
  const claim = async () => {
    const now = store.clock.now() + HOUR_MS;
    const claimed = await store.notifications.claimDue(teamId, { now, leaseMs: 1000, most: 10 });
    return claimed.map(({ id }) => id);
  };
  {
    await using holder = await holdRows(store);
    await holder.query('select 1 from notifications where id = $1 for update', [locked]);
    assert.deepEqual(await claim(), [other]);
  }
  assert.deepEqual(await claim(), [locked]);
});
