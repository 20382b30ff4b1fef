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
      const of = { team_id: team.id, queue_id: queue.id };
      return name(called, await fillJobs(store, [{ ...of, ...usual, ...job }]));
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

async function assertFound(
  find: (search: RunSearch) => Promise<{ names: string[] }>,
  expected: readonly (readonly [RunSearch, string[]])[],
) {
  for (const [search, names] of expected)
    assert.deepEqual((await find(search)).names.toSorted(), names, JSON.stringify(search));
}

forEachStore((_, openTestStore, once) => {
  describe('the list of runs', () => {
    test('pages forth and back show every run once, though many ended at one time', async () => {
      await using store = await openTestStore();
      const { addJob, addRun, find } = await setScene(store);
      await addJob('waiting', { status: 'pending' });
      await addRun('running', { status: 'running' });
      await addJob('earlier', { completed_at: TEST_START - 1 });
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
        [5, 5, 5],
      );
      assert.equal(new Set(pages.flatMap(({ names }) => names)).size, 15);
      assert.equal(pages[2]?.names[4], 'earlier');
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
      await assertFound(find, expected);
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
      const expected: [RunSearch, string[]][] = [
        [{ host: 'mail.example' }, ['first']],
        [{ host: 'mail.example:8443' }, ['first']],
        [{ host: 'mail.example:80' }, []],
        // Not in a query.
        [{ host: 'nights.example' }, ['tick']],
        [{ urlPrefix: 'https://Nights.example/r' }, ['tick']],
        [{ text: 'Quick' }, ['first', 'tick']],
        [{ text: 'quick' }, []],
        [{ words: 'Quick' }, ['first', 'tick']],
        [{ words: 'nights.example/run' }, ['tick']],
        [{ words: 'NIGHTLY' }, ['tick']],
        [{ id: first }, ['first', 'second']],
        [{ id: first, outcome: 'retried' }, ['first']],
        [{ id: tick }, ['tick']],
        [{ id: tick, kind: 'job' }, []],
      ];
      await assertFound(find, expected);
    });

    once('a search for rare runs stops after many rows and returns its position', async () => {
      await using store = await openTestStore();
      const { addJob, find, teamId, queueId } = await setScene(store);
      await addJob('rare', { completed_at: TEST_START - 30_000, url: 'http://rare.example/' });
      const usual = { team_id: teamId, queue_id: queueId, status: 'success' };
      const many = Array.from({ length: 20_500 }, (_, n) => {
        return { ...usual, completed_at: TEST_START - n };
      });
      await fillJobs(store, many);
      const search = { host: 'rare.example' };
      const pages = [await find(search)];
      assert.notEqual(pages[0]?.searchedBackTo, null);
      for (let cursor = pages[0]?.next; cursor; cursor = pages.at(-1)?.next)
        pages.push(await find(search, { cursor }));
      assert.deepEqual(
        pages.flatMap(({ names }) => names),
        ['rare'],
      );
    });
  });
});
