import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '#domain/base/clock';
import { newId } from '#domain/base/ids';
import { fillJobs, fillResponses, type JobFill } from '#testing/fill';
import { aCron, aNode, aQueue, aTeam } from '#testing/factories';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';
import { readCursor, writeCursor } from './cursor.ts';
import { listJobPage } from './run-list.ts';
import type { JobSearch } from './lists.ts';

interface Scene {
  teamId: string;
  queueId: string;
  otherQueueId: string;
  otherTeamId: string;
  /** Writes a job into the first queue, with the name as the last part of its URL. */
  add: (name: string, job?: Partial<JobFill>) => Promise<string>;
  /** The names on the first page. */
  names: (search: JobSearch) => Promise<string[]>;
}

const URL_START = 'http://target.example/';

async function setScene(store: TestStore): Promise<Scene> {
  const [team, otherTeam] = [await aTeam(store), await aTeam(store)];
  const queue = await aQueue(store, team.id, { name: 'emails' });
  const other = await aQueue(store, team.id, { name: 'reports' });
  return {
    teamId: team.id,
    queueId: queue.id,
    otherQueueId: other.id,
    otherTeamId: otherTeam.id,
    add: async (name, job) => {
      const usual = { team_id: team.id, queue_id: queue.id, url: `${URL_START}${name}` };
      const [id] = await fillJobs(store, [{ ...usual, ...job }]);
      return id ?? '';
    },
    names: async (search) => {
      const { rows: jobs } = await store.lists.listJobs(team.id, search, { limit: 50 });
      return jobs.map(({ url }) => url.slice(URL_START.length));
    },
  };
}

function ended(status: string, at: number, more: Partial<JobFill> = {}): Partial<JobFill> {
  return { status, completed_at: at, response_status: 200, duration_ms: 1, ...more };
}

const failed = (at: number, more: Partial<JobFill> = {}) =>
  ended('dead_lettered', at, { reason: 'http_server_error', response_status: 503, ...more });

forEachStore((_, openTestStore, once) => {
  describe('lists of jobs', () => {
    test('each tab shows its states in its order and no others (§3.3)', async () => {
      await using store = await openTestStore();
      const { add, names, teamId, otherQueueId: queue_id } = await setScene(store);
      const node = await aNode(store);
      await add('later', { scheduled_at: TEST_START + 2000 });
      await add('waiting', { scheduled_at: TEST_START + 1000, queue_id });
      await add('retry', { attempt_number: 2 });
      await add('running', { status: 'processing', claimed_by: node, started_at: TEST_START });
      await add('older', ended('success', TEST_START - 5, { queue_id }));
      await add('good', ended('success', TEST_START - 1));
      await add('tried', ended('retried', TEST_START - 2));
      await add('dead', failed(TEST_START - 3));
      await add('over', ended('failed', TEST_START - 4, { reason: 'limit_exceeded' }));
      assert.deepEqual(await names({ tab: 'pending' }), ['waiting', 'later']);
      assert.deepEqual(await names({ tab: 'retrying' }), ['retry']);
      assert.deepEqual(await names({ tab: 'processing' }), ['running']);
      assert.deepEqual(await names({ tab: 'completed' }), ['good', 'older']);
      assert.deepEqual(await names({ tab: 'failed' }), ['dead', 'over']);
      const open = ['later', 'waiting', 'retry', 'running'];
      const all = await names({ tab: 'all' });
      assert.deepEqual(all.slice(0, 4).toSorted(), open.toSorted());
      assert.deepEqual(all.slice(4), ['good', 'tried', 'dead', 'over', 'older']);
      const counted = async (queueId?: string) => {
        const counts = await store.lists.countTabs(teamId, queueId);
        return Object.fromEntries(Object.entries(counts).map(([tab, { count }]) => [tab, count]));
      };
      const ofTeam = { pending: 2, retrying: 1, processing: 1, completed: 2, failed: 2 };
      assert.deepEqual(await counted(), { all: 9, ...ofTeam, retried: 1, resent: 0 });
      const ofQueue = { pending: 1, retrying: 0, processing: 0, completed: 1, failed: 0 };
      assert.deepEqual(await counted(queue_id), { all: 2, ...ofQueue, retried: 0, resent: 0 });
    });

    once('a short list is whole, however slowly the database answers', async () => {
      await using store = await openTestStore();
      const { add, teamId } = await setScene(store);
      for (let n = 0; n < 20; n++) await aQueue(store, teamId, { name: `queue ${n}` });
      for (let n = 0; n < 33; n++) await add(`${n}`, ended('success', TEST_START - n));
      for (let n = 0; n < 33; n++) await add(`${n}`, { scheduled_at: TEST_START + n });
      let ms = 0;
      const clock = Object.assign(Object.create(store.clock) as Clock, {
        monotonicMs: () => (ms += 1_000),
      });
      const context = { db: store.database, clock };
      for (const search of [
        { tab: 'completed' },
        { tab: 'pending' },
        { tab: 'completed', statusCode: '2xx' },
        { tab: 'pending', payloadText: 'nowhere' },
      ] as const) {
        const page = await listJobPage(context, teamId, search, { limit: 50 });
        const found = 'payloadText' in search ? 0 : 33;
        const { rows, next, searchedBackTo } = page;
        assert.deepEqual([rows.length, next, searchedBackTo], [found, null, null]);
      }
    });

    test('with many queues, failed jobs are looked for only in queues that have any', async () => {
      const asked: string[] = [];
      await using store = await openTestStore({
        onStatement: ({ sql, parameters }) => {
          if (/(?:find|count)-failed-keys/.test(sql)) asked.push(String(parameters[0]));
        },
      });
      const { add, names, teamId } = await setScene(store);
      const queues: string[] = [];
      for (let n = 0; n < 40; n++) queues.push((await aQueue(store, teamId, { name: `${n}` })).id);
      const [first = '', second = '', third = ''] = queues.slice(17);
      await add('a', failed(TEST_START - 1000, { queue_id: first }));
      await add('b', ended('failed', TEST_START - 2000, { reason: null, queue_id: second }));
      const again = { queue_id: third, retried_as: newId(TEST_START) };
      await add('c', failed(TEST_START - 3000, again));
      const tab = 'failed' as const;
      assert.deepEqual(await names({ tab }), ['a', 'b']);
      assert.deepEqual(await names({ tab, resent: 'any' }), ['a', 'b', 'c']);
      assert.deepEqual(await names({ tab, resent: 'only' }), ['c']);
      const counts = await store.lists.countTabs(teamId, undefined);
      assert.deepEqual([counts.failed.count, counts.resent.count], [2, 1]);
      assert.equal(await store.lists.findFirstFailure(teamId, undefined), TEST_START - 2000);
      assert.ok(asked.length > 0);
      const empty = queues.filter((id) => ![first, second, third].includes(id));
      for (const ranges of asked) assert.ok(empty.every((id) => !ranges.includes(id)));
    });

    test('jobs are filtered by queue, time, reason, code, URL and resent state', async () => {
      await using store = await openTestStore();
      const { add, names, otherQueueId: queue_id, teamId } = await setScene(store);
      await add('a?x=1', failed(TEST_START - 1000));
      await add('ab', failed(TEST_START - 2000, { reason: 'timeout', response_status: null }));
      const unknown = { queue_id, reason: null, response_status: 599 };
      await add('b', failed(TEST_START - 3000, unknown));
      await add('c', failed(TEST_START - 4000, { retried_as: newId(TEST_START) }));
      const expected: [Partial<JobSearch>, string[]][] = [
        [{}, ['a?x=1', 'ab', 'b']],
        [{ queueId: queue_id }, ['b']],
        [{ reason: 'timeout' }, ['ab']],
        [{ reason: 'unknown' }, ['b']],
        [{ reason: 'http_server_error' }, ['a?x=1']],
        [{ resent: 'only' }, ['c']],
        [{ resent: 'only', reason: 'timeout' }, []],
        [{ tab: 'all', reason: 'http_server_error' }, ['a?x=1', 'c']],
        [{ statusCode: 503 }, ['a?x=1']],
        [{ statusCode: '502,504' }, []],
        [{ statusCode: '5xx' }, ['a?x=1', 'b']],
        [{ statusCode: '4xx,599' }, ['b']],
        [{ statusCode: '404,none' }, ['ab']],
        [{ tab: 'all', statusCode: '503,none' }, ['a?x=1', 'ab', 'c']],
        [{ urlPrefix: `${URL_START}a` }, ['a?x=1', 'ab']],
        [{ target: `${URL_START}a` }, ['a?x=1']],
        [{ from: TEST_START - 3000, to: TEST_START - 1000 }, ['ab', 'b']],
        [{ tab: 'completed', reason: 'timeout' }, []],
      ];
      for (const [search, found] of expected)
        assert.deepEqual(await names({ tab: 'failed', ...search }), found, JSON.stringify(search));
      assert.equal((await store.teamCounts.readAttention(teamId)).failedJobs, 3);
    });

    test('a URL is found in every state, however long it is', async () => {
      await using store = await openTestStore();
      const { add, names } = await setScene(store);
      const long = `${'x'.repeat(1900)}/é`;
      const node = await aNode(store);
      await add(`${long}1`);
      await add(`${long}2`, { status: 'processing', claimed_by: node, started_at: TEST_START });
      await add(`${long}3`, failed(TEST_START));
      await add('y');
      const find = async (start: string) =>
        (await names({ tab: 'all', urlPrefix: `${URL_START}${start}` })).toSorted();
      assert.deepEqual(await find(long), [`${long}1`, `${long}2`, `${long}3`]);
      assert.deepEqual(await find(`${long}2`), [`${long}2`]);
      assert.deepEqual(await find('X'), []);
    });

    test('texts are found exactly as written, and words in every part that pages show', async () => {
      await using store = await openTestStore();
      const { add, names, teamId } = await setScene(store);
      const error_message = 'Connection error: refused';
      const payload = '{"order": "Ä%_42"}';
      const id = await add('a:4199', failed(TEST_START, { payload, error_message }));
      const waiting = await add('b', { payload: '{"order": "x"}' });
      await fillResponses(store, [{ team_id: teamId, run_id: id, body: 'no such Öre' }]);
      const ours = ['a:4199'];
      assert.deepEqual(await names({ tab: 'all', payloadText: 'Ä%_42' }), ours);
      assert.deepEqual(await names({ tab: 'all', payloadText: 'ä%_42' }), []);
      assert.deepEqual(await names({ tab: 'all', payloadText: '%' }), ours);
      assert.deepEqual(await names({ tab: 'all', responseText: 'Öre' }), ours);
      assert.deepEqual(await names({ tab: 'all', responseText: 'öre' }), []);
      const find = async (words: string) => (await names({ tab: 'all', words })).toSorted();
      for (const words of ['/A:4199', 'REFUSED', 'order": "Ä', 'Öre', id.slice(-8)])
        assert.deepEqual(await find(words), ours, words);
      assert.deepEqual(await find(waiting.slice(-8)), ['b']);
      for (const words of ['order', 'EMAILS'])
        assert.deepEqual(await find(words), ['a:4199', 'b'], words);
      for (const words of ['öre', '_43', '"order": 9'])
        assert.deepEqual(await find(words), [], words);
    });

    once('a text search stops after a number of jobs and continues from there', async () => {
      await using store = await openTestStore();
      const { teamId, queueId, add } = await setScene(store);
      const usual = { team_id: teamId, queue_id: queueId };
      const jobs = Array.from({ length: 4_500 }, (_, n) => {
        return { ...usual, ...ended('success', TEST_START - n) };
      });
      await fillJobs(store, jobs);
      const last = { payload: '["needle"]' };
      const id = await add('last', ended('success', TEST_START - 30_000, last));
      const search = { tab: 'completed', payloadText: 'needle' } as const;
      let page = await store.lists.listJobs(teamId, search, { limit: 5 });
      assert.equal(page.rows.length, 0);
      assert.ok((page.searchedBackTo ?? 0) > TEST_START - 4_500);
      for (let n = 0; n < 200 && page.rows.length === 0 && page.next; n++) {
        page = await store.lists.listJobs(teamId, search, { limit: 5, cursor: page.next });
      }
      assert.deepEqual(
        page.rows.map((job) => job.id),
        [id],
      );
    });

    test('a search finds no jobs of another team', async () => {
      await using store = await openTestStore();
      const { add, otherTeamId, queueId } = await setScene(store);
      const id = await add('secret', failed(TEST_START, { payload: '["x"]' }));
      const searches: JobSearch[] = [
        { tab: 'all' },
        { tab: 'failed' },
        { tab: 'failed', queueId },
        { tab: 'all', id },
        { tab: 'all', urlPrefix: URL_START },
        { tab: 'all', payloadText: 'x' },
        { tab: 'all', words: id.slice(-8) },
      ];
      for (const search of searches) {
        const page = await store.lists.listJobs(otherTeamId, search, { limit: 5 });
        assert.deepEqual(page, { rows: [], next: null, previous: null, searchedBackTo: null });
        assert.equal((await store.lists.countJobs(otherTeamId, search)).count, 0);
      }
      assert.equal((await store.lists.countTabs(otherTeamId, queueId)).all.count, 0);
      const asked = { queueId, from: 0, to: TEST_START + 1 };
      assert.deepEqual((await store.lists.groupFailures(otherTeamId, asked)).groups, []);
    });
  });

  describe('counts of jobs', () => {
    once('counting stops at ten thousand and reports that there are more', async () => {
      await using store = await openTestStore();
      const { teamId, queueId } = await setScene(store);
      const job = { team_id: teamId, queue_id: queueId, ...failed(TEST_START) };
      const most = Array.from({ length: 10_000 }, () => job);
      await fillJobs(store, most);
      const counted = async () => (await store.lists.countTabs(teamId, undefined)).failed;
      assert.deepEqual(await counted(), { count: 10_000, isMore: false });
      await fillJobs(store, [job]);
      assert.deepEqual(await counted(), { count: 10_000, isMore: true });
    });

    test('failures are grouped by reason, target and code, with their times', async () => {
      await using store = await openTestStore();
      const { add, teamId, queueId } = await setScene(store);
      await add('a?n=1', failed(TEST_START - 5000));
      const errorMessage = 'HTTP 503 error';
      const newest = failed(TEST_START - 1000, { error_message: errorMessage });
      const lastJobId = await add('a?n=2#x', newest);
      await add('a', failed(TEST_START - 500, { retried_as: newId(TEST_START) }));
      await add('a', failed(TEST_START - 3000, { response_status: 500 }));
      await add('b', failed(TEST_START - 2000, { reason: null, response_status: 302 }));
      const asked = { from: TEST_START - 24_000, to: TEST_START };
      const { groups, countedBackTo } = await store.lists.groupFailures(teamId, asked);
      assert.equal(countedBackTo, null);
      const [first] = groups;
      assert.deepEqual(
        { ...first, series: first?.series.slice(-6) },
        {
          reason: 'http_server_error',
          target: `${URL_START}a`,
          statusCode: 503,
          count: 2,
          firstSeenAt: TEST_START - 5000,
          lastSeenAt: TEST_START - 1000,
          series: [0, 1, 0, 0, 0, 1],
          queueIds: [queueId],
          errorMessage,
          lastJobId,
        },
      );
      assert.deepEqual(groups.map(({ reason, statusCode }) => [reason, statusCode]).slice(1), [
        ['unknown', 302],
        ['http_server_error', 500],
      ]);
      assert.equal(await store.lists.findFirstFailure(teamId, undefined), TEST_START - 5000);
    });
  });

  test('crons with the most similar names come first and are kept by a limit', async () => {
    await using store = await openTestStore();
    const [team, otherTeam] = [await aTeam(store), await aTeam(store)];
    const names = ['A hotmail', 'B send mail', 'Mailing list', 'mail', 'No', 'Of 100% _ mail'];
    for (const name of names) await aCron(store, team.id, { name, url: 'http://a.example/' });
    await aCron(store, team.id, { name: 'By URL', url: 'http://mail.example/' });
    await aCron(store, otherTeam.id, { name: 'mail' });
    const find = async (words: string[], limit = 20) =>
      (await store.lists.findCrons(team.id, words, limit)).map(({ name }) => name);
    assert.deepEqual(await find(['MAIL'], 3), ['mail', 'Mailing list', 'A hotmail']);
    assert.deepEqual((await find(['mail'])).at(-1), 'By URL');
    assert.deepEqual(await find(['mail', '%']), ['Of 100% _ mail']);
    assert.deepEqual(await find(['list', 'mail']), ['Mailing list']);
    assert.deepEqual(await find(['\0']), []);
  });
});

test('a cursor of another form is none', () => {
  const key = { at: 1, id: newId(1) };
  assert.deepEqual(readCursor(writeCursor({ way: 'next', key })), { way: 'next', key });
  for (const text of ['', 'n', 'nzz.x', `nzzzzzzzzzzz.${newId(1)}`, "n1.'; drop table jobs"])
    assert.equal(readCursor(text), null, text);
});
