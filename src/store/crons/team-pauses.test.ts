import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { aCron, aTeam } from '#testing/factories';
import { forEachStore } from '#testing/stores';
import { add, all, atMost, count } from '../database/rows.ts';
import type { Context } from '../database/context.ts';
import type { Store } from '../store.ts';
import { teamPauses } from './team-pauses.ts';

/** More than one transaction skips. */
const CRONS = 1_100;

describe('a team that is resumed (§3.11)', () => {
  forEachStore((_name, openTestStore) => {
    test('a resumed team skips passed times of any number of crons, also after an interruption', async () => {
      await using store = await openTestStore();
      const { id: teamId } = await aTeam(store);
      const now = store.clock.now();
      await manyCrons(store, teamId, now - 1);
      await store.teamPauses.pause(teamId, { at: now, by: 'Ada', until: null });
      const { database, signals } = store;
      let steps = 0;
      const transact: Context['main']['transact'] = async (work) => {
        if (++steps > 1) throw new Error('the process died');
        return database.transact(work);
      };
      const dying = { main: { transact }, signals } as Context;
      await assert.rejects(teamPauses.resume(dying, teamId, now), /died/);
      assert.notEqual(await store.teamPauses.read(teamId), null, 'no cron runs before all skip');
      const passed = await countPassed(store, teamId, now);
      assert.ok(passed > 0 && passed < CRONS, `${passed} are left`);
      assert.equal(await store.teamPauses.resume(teamId, now), true);
      assert.equal(await store.teamPauses.read(teamId), null);
      assert.equal(await countPassed(store, teamId, now), 0);
      assert.equal(await store.teamPauses.resume(teamId, now), false);
    });
  });
});

/** Crons whose time has passed. */
async function manyCrons(store: Store, teamId: string, nextRunAt: number): Promise<void> {
  const { id } = await aCron(store, teamId, { nextRunAt });
  const [row] = await all(store.database, 'crons', { id });
  assert.ok(row);
  const others = Array.from({ length: CRONS - 1 }, () => ({ ...row, id: newId(nextRunAt) }));
  for (let n = 0; n < others.length; n += 100)
    await add(store.database, 'crons', others.slice(n, n + 100));
}

async function countPassed({ database }: Store, teamId: string, now: number): Promise<number> {
  return count(database, 'crons', { team_id: teamId, next_run_at: atMost(now) }, CRONS);
}
