import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { type ExecutionFill, fillExecutions } from '#testing/fill';
import { aCron, aTeam } from '#testing/factories';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';
import type { NamedRun } from './cron-overview.ts';

/**
 * Makes a cron whose runs end at the given times: milliseconds after the test's start, in the order in which the runs
 * began.
 */
async function aCronThatRan(
  store: TestStore,
  teamId: string,
  name: string,
  runs: readonly (readonly [status: string, endedAfter: number | null])[],
  { isPaused = false } = {},
): Promise<void> {
  const cron = await aCron(store, teamId, { name, ...(isPaused && { nextRunAt: null }) });
  const rows = runs.map(([status, endedAfter], at): ExecutionFill => {
    const completed_at = endedAfter === null ? null : TEST_START + endedAfter;
    const id = newId(TEST_START + at);
    return { id, team_id: teamId, cron_id: cron.id, status, completed_at };
  });
  await fillExecutions(store, rows);
}

const namesOf = (runs: readonly NamedRun[]) =>
  runs.map(({ cronName, execution }) => `${cronName} ${execution.status}`);

forEachStore((_, openTestStore) => {
  describe('the last finished runs of a team’s crons', () => {
    test('the overview lists the latest run of each cron of the team, latest end first', async () => {
      await using store = await openTestStore();
      const [team, other] = [await aTeam(store), await aTeam(store)];
      const ran = (...args: [string, [string, number | null][], { isPaused: boolean }?]) =>
        aCronThatRan(store, team.id, ...args);
      await ran('Recovered', [
        ['failed', 10],
        ['success', 90],
      ]);
      await ran('Broken', [
        ['success', 95],
        ['failed', 20],
      ]);
      await ran('Broken, running', [
        ['failed', 70],
        ['running', null],
      ]);
      await ran('Paused', [['failed', 80]], { isPaused: true });
      await ran('New', []);
      await aCronThatRan(store, other.id, 'Elsewhere', [['failed', 99]]);

      assert.deepEqual(namesOf(await store.lists.readLastRuns(team.id, 10)), [
        'Recovered success',
        'Paused failed',
        'Broken, running failed',
        'Broken failed',
      ]);
      const few = await store.lists.readLastRuns(team.id, 1);
      assert.deepEqual(namesOf(few), ['Recovered success']);
      assert.equal(few[0]?.execution.completedAt, TEST_START + 90);
      assert.equal(few[0]?.execution.teamId, team.id);
    });
  });
});
