import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aCron, aJob } from '#testing/factories';
import { forEachStore } from '#testing/stores';
import { openWork } from '#testing/work';

forEachStore((_, openTestStore) => {
  describe('the forecast of the monthly limit', () => {
    test('the forecast counts active crons and waiting jobs of this team only', async () => {
      await using all = await openWork(openTestStore);
      const { store, work, team, otherTeam } = all;
      const forecast = (limit: number) => work.readForecast(team.id, { used: 0, limit });
      for (const teamId of [otherTeam.id, team.id]) {
        assert.equal(await forecast(1), 'enough');
        // 9 days and 11 hours are left of November, and 13:00 is still to come.
        await aCron(store, teamId, { cronExpression: '@hourly' });
        await aJob(store, teamId);
        await aJob(store, teamId, { delaySeconds: 3600 });
      }
      await aCron(store, team.id, { nextRunAt: null, cronExpression: '* * * * *' });
      const planned = 9 * 24 + 11 + 2;
      assert.equal(await forecast(planned), 'enough');
      assert.deepEqual(await forecast(planned - 1), { runsOutOn: '2026-11-30' });
      assert.equal(await work.readForecast(team.id, { used: 0, limit: null }), null);
    });
  });
});
