import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aQueue, aTeam } from '#testing/factories';
import { fillJobs } from '#testing/fill';
import { forEachStore, TEST_START } from '#testing/stores';
import { anybody } from './acting.ts';
import { createTeamWork } from './team.ts';

forEachStore((_, openTestStore) => {
  test('the field of waiting and of ended jobs is read, and only of the own team', async () => {
    await using store = await openTestStore();
    const work = createTeamWork(store, anybody(), []);
    const [team, other] = [await aTeam(store), await aTeam(store)];
    const job = {
      team_id: team.id,
      queue_id: (await aQueue(store, team.id)).id,
      payload: '{"items":[{"id":7},{"id":{"a":[1.0]}}]}',
    };
    const ended = { status: 'dead_lettered', completed_at: TEST_START - 1000 };
    const ids = await fillJobs(store, [job, { ...job, ...ended }, { ...job, payload: '[' }]);
    const jobs = ids.map((id) => ({ id }));
    assert.equal(await work.readShownField(team.id, jobs), null);
    for (const [shownField, value] of [
      ['$.items[0].id', '7'],
      ['items.1.id', '{"a":[1.0]}'],
    ] as const) {
      await work.editTeamSettings(team.id, { shownField, maskedFields: [] });
      await work.editTeamSettings(other.id, { shownField, maskedFields: [] });
      const shown = await work.readShownField(team.id, jobs);
      const values = Object.fromEntries(ids.slice(0, 2).map((id) => [id, value]));
      assert.deepEqual(shown, { path: shownField, values });
      const elsewhere = await work.readShownField(other.id, jobs);
      assert.deepEqual(elsewhere?.values, {});
    }
    await work.editTeamSettings(team.id, { shownField: 'nothing', maskedFields: [] });
    assert.deepEqual((await work.readShownField(team.id, jobs))?.values, {});
  });
});
