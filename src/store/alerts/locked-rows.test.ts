import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCron, aTeam } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { openPostgresTestStore } from '#testing/stores';

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
    await store.database.transact((trx) =>
      trx.updateTable('crons').set({ remind_at }).where('id', '=', id).execute(),
    );
  const due = async () => {
    const rows = await store.database.read((db) =>
      db.selectFrom('crons').select('id').where('remind_at', 'is not', null).execute(),
    );
    return rows.map(({ id }) => id);
  };
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
  const unhandled = async () => {
    const rows = await store.database.read((db) =>
      db
        .selectFrom('maintenance_windows')
        .select('id')
        .where('notified_until', 'is', null)
        .execute(),
    );
    return rows.map(({ id }) => id);
  };
  for (const locked of [first, second]) {
    await using holder = await holdRows(store);
    await holder.query(`select 1 from maintenance_windows where id = '${locked}' for update`);
    await store.windows.notifyEnds();
    assert.deepEqual(await unhandled(), [locked]);
    await store.database.transact((trx) =>
      trx
        .updateTable('maintenance_windows')
        .set({ notified_until: null })
        .where('id', '<>', locked)
        .execute(),
    );
  }
  await store.windows.notifyEnds();
  assert.deepEqual(await unhandled(), []);
});
