import type { RunSearch } from '#domain/runs/run-search';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultMessage } from '#domain/http/connection-faults';
import { aCron, aQueue, aTeam } from '#testing/factories';
import {
  type ExecutionFill,
  fillExecutions,
  fillJobs,
  fillResponses,
  type JobFill,
} from '#testing/fill';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';

async function setScene(store: TestStore) {
  const team = await aTeam(store);
  const queue = await aQueue(store, team.id, { name: 'emails' });
  const cron = await aCron(store, team.id, {
    name: 'nightly',
    tags: ['night'],
    method: 'GET',
    url: 'https://Nights.example/run',
  });
  const names = new Map<string, string>();
  const name = (called: string, [id = '']: string[]) => (names.set(id, called), id);
  return {
    teamId: team.id,
    queueId: queue.id,
    cronId: cron.id,
    addJob: async (called: string, job: Partial<JobFill> = {}) => {
      const usual = { status: 'success', completed_at: TEST_START, response_status: 200 };
      return name(
        called,
        await fillJobs(store, [{ team_id: team.id, queue_id: queue.id, ...usual, ...job }]),
      );
    },
    addRun: async (called: string, run: Partial<ExecutionFill> = {}) =>
      name(called, await fillExecutions(store, [{ team_id: team.id, cron_id: cron.id, ...run }])),
    /** The names of the runs that a search finds, and the cursors of the pages before and after. */
    find: async (search: RunSearch, options: { cursor?: string; limit?: number } = {}) => {
      const page = await store.lists.listRuns(team.id, search, { limit: 50, ...options });
      return { ...page, names: page.rows.map(({ id }) => names.get(id) ?? '') };
    },
  };
}

forEachStore((_, openTestStore, once) => {
  describe('the list of runs', () => {
    test('the list of runs has ended runs of jobs and crons, latest first', async () => {
      await using store = await openTestStore();
      const { addJob, addRun, find } = await setScene(store);
      await addJob('second', { completed_at: TEST_START - 2 });
      await addRun('first', { completed_at: TEST_START - 1 });
      await addRun('third', { completed_at: TEST_START - 3 });
      await addJob('waiting', { status: 'pending' });
      await addRun('running', { status: 'running' });
      const { rows, names, next, previous } = await find({});
      assert.deepEqual(names, ['first', 'second', 'third']);
      assert.deepEqual([next, previous], [null, null]);
      assert.deepEqual(
        rows.map(({ kind, sourceName, method, url }) => [kind, sourceName, method, url]),
        [
          ['execution', 'nightly', 'GET', 'https://Nights.example/run'],
          ['job', 'emails', 'POST', 'http://target.example/hook'],
          ['execution', 'nightly', 'GET', 'https://Nights.example/run'],
        ],
      );
    });

    test('pages forth and back show every run once, though many ended at one time', async () => {
      await using store = await openTestStore();
      const { addJob, addRun, find } = await setScene(store);
      for (let n = 0; n < 7; n++) {
        await addJob(`job ${n}`);
        await addRun(`run ${n}`, { completed_at: TEST_START });
      }
      const pages = [await find({}, { limit: 5 })];
      for (let cursor = pages[0]?.next; cursor; cursor = pages.at(-1)?.next ?? null) {
        pages.push(await find({}, { limit: 5, cursor }));
      }
      assert.deepEqual(
        pages.map(({ names }) => names.length),
        [5, 5, 4],
      );
      assert.equal(new Set(pages.flatMap(({ names }) => names)).size, 14);
      const back = await find({}, { limit: 5, cursor: pages[2]?.previous ?? '' });
      assert.deepEqual(back.names, pages[1]?.names);
      const forth = await find({}, { limit: 5, cursor: back.next ?? '' });
      assert.deepEqual(forth.names, pages[2]?.names);
      assert.equal(pages[0]?.previous, null);
    });

    test('runs are filtered by kind, source, outcome, code, reason, fault and time', async () => {
      await using store = await openTestStore();
      const { addJob, addRun, find, queueId, cronId } = await setScene(store);
      const bad = { reason: 'http_server_error', response_status: 503 };
      await addJob('good');
      await addJob('tried', { status: 'retried', ...bad });
      await addJob('dead', { status: 'dead_lettered', completed_at: TEST_START - 5, ...bad });
      const refused = { reason: 'connection_error', error_message: faultMessage('refused') };
      await addJob('cut', { status: 'failed', ...refused, response_status: null });
      await addRun('tick', { completed_at: TEST_START - 5 });
      await addRun('tock', { status: 'failed', ...bad });
      await addRun('moved', { status: 'failed', response_status: 302 });
      const found = async (search: RunSearch) => (await find(search)).names.toSorted();
      const expected: [RunSearch, string[]][] = [
        [{ kind: 'execution' }, ['moved', 'tick', 'tock']],
        [{ kind: 'job', outcome: 'success' }, ['good']],
        [{ queueId, outcome: 'failure' }, ['cut', 'dead', 'tried']],
        [{ cronId }, ['moved', 'tick', 'tock']],
        [{ cronId, kind: 'job' }, []],
        [{ tag: 'night' }, ['moved', 'tick', 'tock']],
        [{ tag: 'night', queueId }, []],
        [{ outcome: 'failure' }, ['cut', 'dead', 'moved', 'tock', 'tried']],
        [{ outcome: 'retried' }, ['tried']],
        [{ outcome: 'failed' }, ['cut', 'dead', 'moved', 'tock']],
        [{ statusCode: '5xx' }, ['dead', 'tock', 'tried']],
        [{ statusCode: '302,none' }, ['cut', 'moved']],
        [{ reason: 'http_server_error' }, ['dead', 'tock', 'tried']],
        [{ reason: 'unknown' }, ['moved']],
        [{ reason: 'http_server_error', outcome: 'retried' }, ['tried']],
        [{ fault: 'refused' }, ['cut']],
        [{ to: TEST_START }, ['dead', 'tick']],
        [{ from: TEST_START, outcome: 'success' }, ['good']],
      ];
      for (const [search, names] of expected) {
        assert.deepEqual(await found(search), names, JSON.stringify(search));
      }
    });

    test('runs are found by host, URL, text and id', async () => {
      await using store = await openTestStore();
      const { addJob, addRun, find, teamId } = await setScene(store);
      const first = await addJob('first', {
        status: 'retried',
        url: 'https://Mail.example:8443/send?to=nights.example',
        payload: '{"note":"Quick"}',
      });
      await addJob('second', { original_id: first, attempt_number: 2 });
      const tick = await addRun('tick');
      await fillResponses(store, [{ team_id: teamId, run_id: tick, body: 'Quick and done' }]);
      const found = async (search: RunSearch) => (await find(search)).names.toSorted();
      assert.deepEqual(await found({ host: 'mail.example' }), ['first']);
      assert.deepEqual(await found({ host: 'mail.example:8443' }), ['first']);
      assert.deepEqual(await found({ host: 'mail.example:80' }), []);
      assert.deepEqual(await found({ host: 'nights.example' }), ['tick'], 'not in a query');
      assert.deepEqual(await found({ urlPrefix: 'https://Nights.example/r' }), ['tick']);
      assert.deepEqual(await found({ text: 'Quick' }), ['first', 'tick']);
      assert.deepEqual(await found({ text: 'quick' }), [], 'upper and lower case apart');
      assert.deepEqual(await found({ words: 'Quick' }), ['first', 'tick']);
      assert.deepEqual(await found({ words: 'nights.example/run' }), ['tick']);
      assert.deepEqual(await found({ words: 'NIGHTLY' }), ['tick']);
      assert.deepEqual(await found({ id: first }), ['first', 'second']);
      assert.deepEqual(await found({ id: first, outcome: 'retried' }), ['first']);
      assert.deepEqual(await found({ id: tick }), ['tick']);
      assert.deepEqual(await found({ id: tick, kind: 'job' }), []);
    });

    once('a search for rare runs stops after many rows and returns its position', async () => {
      await using store = await openTestStore();
      const { addJob, find, teamId, queueId } = await setScene(store);
      await addJob('rare', { completed_at: TEST_START - 30_000, url: 'http://rare.example/' });
      await fillJobs(
        store,
        Array.from({ length: 20_500 }, (_, n) => ({
          team_id: teamId,
          queue_id: queueId,
          status: 'success',
          completed_at: TEST_START - n,
        })),
      );
      const seen: unknown[] = [];
      let page = await find({ host: 'rare.example' });
      assert.notEqual(page.searchedBackTo, null);
      for (
        ;
        page.next !== null;
        page = await find({ host: 'rare.example' }, { cursor: page.next })
      ) {
        seen.push(...page.names);
      }
      assert.deepEqual([...seen, ...page.names], ['rare']);
    });
  });
});
