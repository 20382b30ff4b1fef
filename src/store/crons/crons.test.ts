import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aClaimant, aCron, aNode, anExecutionSettlement, aTeam, FAILED } from '#testing/factories';
import { holdRows } from '#testing/holder';
import { forEachStore, openPostgresTestStore, TEST_START } from '#testing/stores';
import { change } from '../database/rows.ts';
import type { Store } from '../store.ts';

describe('crons in the store', () => {
  forEachStore((_name, openTestStore) => {
    test('a cron reads back unchanged', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const settings = {
        name: 'Nächtlicher Bericht 🌙',
        url: 'http://target.example/#frag',
        method: 'DELETE',
        headers: [['Authorization', 'Bearer x']],
        payload: 'any text \0 \ud800 "quoted"',
        callbackUrl: 'http://caller.example/',
        cronExpression: '*/5 * * * *',
        timeoutSeconds: 300,
        alertThreshold: 3,
        assertions: [{ kind: 'body-contains', text: 'ok\0' }] as never,
        alertSettings: {
          channels: { warning: ['default'], failure: ['default'], recovery: [] },
          note: 'Ask “Ada” 🌙',
          runbookUrl: 'https://wiki.example/#frag',
          remindHours: 6,
          slowSeconds: 20,
          certificates: true,
        },
        stopAfter: 7,
        keepsResponseBody: false,
        startsAt: TEST_START - 1,
        end: { endsAt: TEST_START + 9e9, maxRuns: 3 },
        tags: ['billing', 'rückstände'],
      } as const;
      const cron = await aCron(store, team.id, { ...settings, nextRunAt: TEST_START + 1 });
      const kept = await store.crons.find(team.id, cron.id);
      assert.deepEqual(kept, { ...kept, ...settings, nextRunAt: TEST_START + 1 });
      assert.equal(await store.crons.find((await aTeam(store)).id, cron.id), null);
    });

    test('a due time that has run is not run again when the schedule is set back to it', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const node = await aNode(store);
      const cron = await aCron(store, team.id, { nextRunAt: TEST_START });
      const [run] = (await claim(store, node, team.id)).claimed;
      assert.ok(run);
      await setBack(store, cron);
      assert.deepEqual((await claim(store, node, team.id)).claimed, []);
      assert.equal(await store.runs.settle(node, anExecutionSettlement(store, run)), true);
      await setBack(store, cron);
      assert.deepEqual((await claim(store, node, team.id)).claimed, []);
      assert.equal((await store.crons.listExecutions(team.id, cron.id, 10)).length, 1);
    });

    test('a deleted team’s crons never run', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const cron = await aCron(store, team.id, { nextRunAt: TEST_START });
      await store.crons.addExecution(team.id, cron.id, TEST_START);
      await change(store.database, 'teams', { id: team.id }, { deleted_at: 1 });
      const node = await aNode(store);
      const { claimed, groups } = await claim(store, node, team.id);
      assert.deepEqual(
        [claimed, groups],
        [[], [{ id: team.id, nextDueAt: null, blocker: 'gone' }]],
      );
      assert.deepEqual(await store.runs.scanTeams(), []);
    });

    test('a settlement of an execution without a claim changes nothing', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const cron = await aCron(store, team.id, { nextRunAt: TEST_START });
      const [node, otherNode] = [await aNode(store), await aNode(store)];
      const [run] = (await claim(store, node, team.id)).claimed;
      assert.ok(run);
      const settlement = anExecutionSettlement(store, run, FAILED);
      assert.equal(await store.runs.settle(otherNode, settlement), false);
      assert.equal((await store.crons.findExecution(team.id, run.id))?.status, 'running');
      assert.equal(await store.runs.settle(node, settlement), true);
      assert.equal(await store.runs.settle(node, settlement), false);
      const kept = await store.crons.findExecution(team.id, run.id);
      assert.deepEqual([kept?.status, kept?.responseStatus], ['failed', 500]);
      assert.equal((await store.crons.listExecutions(team.id, cron.id, 10)).length, 1);
    });

    test('running executions of a dead node fail, and unstarted ones do not', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const callbackUrl = 'http://caller.example/';
      const cron = await aCron(store, team.id, { nextRunAt: TEST_START, callbackUrl });
      const dead = await aNode(store);
      const [run] = (await claim(store, dead, team.id)).claimed;
      const waiting = await store.crons.addExecution(team.id, cron.id, TEST_START);
      const node = await aNode(store);
      const seen = await store.nodes.readOthers(node);
      const found = await store.nodes.recoverDead(node, store.clock.now(), seen);
      assert.deepEqual(found, { nodeIds: [dead], deadLettered: 0, failedExecutions: 1 });
      const kept = await store.crons.findExecution(team.id, run?.id ?? '');
      assert.deepEqual([kept?.status, kept?.reason], ['failed', 'worker_failed']);
      const left = await store.crons.findExecution(team.id, waiting?.id ?? '');
      assert.equal(left?.status, 'pending');
      const callbacks = await store.callbacks.take(node, [{ teamId: team.id, slots: 10 }]);
      assert.deepEqual(
        callbacks.map(({ runId, url }) => [runId, url]),
        [[run?.id, callbackUrl]],
      );
      assert.match(
        callbacks[0]?.body ?? '',
        /"The worker stopped while the request was running\."/,
      );
    });
  });
});

test('claims of crons take the same number of statements for 2 and 16 teams, and keep to the slots of each', async () => {
  const ran: string[] = [];
  await using store = await openPostgresTestStore({ onStatement: ({ sql }) => ran.push(sql) });
  const node = await aNode(store);
  const claimFor = async (count: number) => {
    const asked = [];
    for (let n = 0; n < count; n++) {
      const { id } = await aTeam(store, { name: `${count} ${n}` });
      for (let each = 0; each < 3; each++) await aCron(store, id, { nextRunAt: TEST_START });
      const cron = await aCron(store, id, { nextRunAt: null });
      await store.crons.addExecution(id, cron.id, TEST_START);
      asked.push({ id, slots: n === 0 ? 1 : 3 });
    }
    ran.length = 0;
    const { claimed, groups } = await store.runs.claimExecutions(asked, aClaimant(store, node));
    const byTeam = Map.groupBy(claimed, ({ teamId }) => teamId);
    for (const { id, slots } of asked) assert.equal(byTeam.get(id)?.length, slots);
    assert.ok(groups.every(({ nextDueAt }) => nextDueAt === TEST_START));
    return ran.length;
  };
  const forSome = await claimFor(2);
  assert.equal(await claimFor(16), forSome);
});

function claim(store: Store, node: string, teamId: string, slots = 10) {
  return store.runs.claimExecutions([{ id: teamId, slots }], aClaimant(store, node));
}

/**
 * Sets the cron's next time back, as a node does that restarts a cron while its clock is behind the one that started
 * the run.
 */
async function setBack(store: Store, { teamId, id }: { teamId: string; id: string }) {
  await change(store.database, 'crons', { team_id: teamId, id }, { next_run_at: TEST_START });
}

/**
 * Running and ended executions are in two tables. A run that moves from one to the other must stay visible all the
 * time.
 */
test('a due time whose run ends at the same moment is not run again on Postgres', async () => {
  await using store = await openPostgresTestStore();
  const team = await aTeam(store);
  const node = await aNode(store);
  const cron = await aCron(store, team.id, { nextRunAt: TEST_START });
  const [run] = (await claim(store, node, team.id)).claimed;
  assert.ok(run);
  await setBack(store, cron);
  await using holder = await holdRows(store);
  await holder.query(
    `insert into ended_executions (team_id, id, cron_id, scheduled_for, status, created_at, completed_at)
      select team_id, id, cron_id, scheduled_for, 'success', created_at, $2 from executions where id = $1`,
    [run.id, TEST_START],
  );
  await holder.query('delete from executions where id = $1', [run.id]);
  const again = claim(store, node, team.id);
  await Promise.race([holder.untilSomebodyWaits(), again]);
  await holder.query('commit');
  assert.deepEqual((await again).claimed, []);
  assert.equal((await store.crons.listExecutions(team.id, cron.id, 10)).length, 1);
});
