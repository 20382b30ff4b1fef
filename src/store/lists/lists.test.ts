import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '#domain/base/clock';
import { newId } from '#domain/base/ids';
import { fillJobs, fillResponses, type JobFill } from '#testing/fill';
import { aCron, aNode, aQueue, aTeam } from '#testing/factories';
import { forEachStore, TEST_START, type TestStore } from '#testing/stores';
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
    test('each tab shows its states and no others (§3.3)', async () => {
      await using store = await openTestStore();
      const { add, names } = await setScene(store);
      const node = await aNode(store);
      await add('waiting');
      await add('retry', { attempt_number: 2 });
      const running = { status: 'processing', claimed_by: node, started_at: TEST_START };
      await add('running', running);
      await add('good', ended('success', TEST_START - 1));
      await add('tried', ended('retried', TEST_START - 2));
      await add('dead', failed(TEST_START - 3));
      await add('over', ended('failed', TEST_START - 4, { reason: 'limit_exceeded' }));
      assert.deepEqual(await names({ tab: 'pending' }), ['waiting']);
      assert.deepEqual(await names({ tab: 'retrying' }), ['retry']);
      assert.deepEqual(await names({ tab: 'processing' }), ['running']);
      assert.deepEqual(await names({ tab: 'completed' }), ['good']);
      assert.deepEqual(await names({ tab: 'failed' }), ['dead', 'over']);
      const all = ['waiting', 'retry', 'running', 'good', 'tried', 'dead', 'over'];
      assert.deepEqual((await names({ tab: 'all' })).toSorted(), all.toSorted());
    });

    test('pending jobs come earliest due first, finished ones latest first', async () => {
      await using store = await openTestStore();
      const { add, names, otherQueueId } = await setScene(store);
      await add('second', { scheduled_at: TEST_START + 2000 });
      await add('first', { scheduled_at: TEST_START + 1000, queue_id: otherQueueId });
      await add('older', ended('success', TEST_START - 2000, { queue_id: otherQueueId }));
      await add('newer', ended('success', TEST_START - 1000));
      assert.deepEqual(await names({ tab: 'pending' }), ['first', 'second']);
      assert.deepEqual(await names({ tab: 'completed' }), ['newer', 'older']);
      assert.deepEqual(await names({ tab: 'all' }), ['second', 'first', 'newer', 'older']);
    });

    test('an invalid cursor starts at the beginning', async () => {
      await using store = await openTestStore();
      const { teamId, add } = await setScene(store);
      await add('one');
      for (const cursor of [
        '',
        'n',
        'nzz.x',
        `nzzzzzzzzzzz.${newId(1)}`,
        "n1.'; drop table jobs",
      ]) {
        const { rows: jobs } = await store.lists.listJobs(
          teamId,
          { tab: 'pending' },
          { limit: 5, cursor },
        );
        assert.equal(jobs.length, 1, cursor);
      }
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
      for (let n = 0; n < 40; n++)
        queues.push((await aQueue(store, teamId, { name: `queue ${n}` })).id);
      const [first = '', second = '', third = ''] = queues.slice(17);
      await add('a', failed(TEST_START - 1000, { queue_id: first }));
      await add('b', failed(TEST_START - 2000, { queue_id: second, reason: null }));
      const over = { reason: 'limit_exceeded', queue_id: second };
      await add('c', ended('failed', TEST_START - 3000, over));
      const again = { queue_id: third, retried_as: newId(TEST_START) };
      await add('d', failed(TEST_START - 4000, again));
      await add('e', ended('retried', TEST_START - 5000, { queue_id: third }));
      const tab = 'failed' as const;
      assert.deepEqual(await names({ tab }), ['a', 'b', 'c']);
      assert.deepEqual(await names({ tab, resent: 'any' }), ['a', 'b', 'c', 'd']);
      assert.deepEqual(await names({ tab, resent: 'only' }), ['d']);
      const counts = await store.lists.countTabs(teamId, undefined);
      assert.deepEqual([counts.failed.count, counts.resent.count], [3, 1]);
      const { groups } = await store.lists.groupFailures(teamId, { from: 0, to: TEST_START });
      assert.equal(groups.length, 3);
      assert.equal(await store.lists.findFirstFailure(teamId, undefined), TEST_START - 3000);
      assert.ok(asked.length > 0);
      const empty = queues.filter((id) => ![first, second, third].includes(id));
      for (const ranges of asked) assert.ok(empty.every((id) => !ranges.includes(id)));
    });

    test('jobs are filtered by queue, time, reason, code, URL and resent state', async () => {
      await using store = await openTestStore();
      const { add, names, otherQueueId, teamId } = await setScene(store);
      await add('a?x=1', failed(TEST_START - 1000));
      await add('ab', failed(TEST_START - 2000, { reason: 'timeout', response_status: null }));
      await add(
        'b',
        failed(TEST_START - 3000, {
          queue_id: otherQueueId,
          reason: null,
          response_status: 599,
        }),
      );
      await add('c', failed(TEST_START - 4000, { retried_as: newId(TEST_START) }));
      const tab = 'failed' as const;
      assert.deepEqual(await names({ tab, queueId: otherQueueId }), ['b']);
      assert.deepEqual(await names({ tab, reason: 'timeout' }), ['ab']);
      assert.deepEqual(await names({ tab, reason: 'unknown' }), ['b']);
      assert.deepEqual(await names({ tab, reason: 'http_server_error' }), ['a?x=1']);
      assert.deepEqual(await names({ tab }), ['a?x=1', 'ab', 'b']);
      assert.deepEqual(await names({ tab, resent: 'only' }), ['c']);
      const resent = { tab, resent: 'only', reason: 'timeout' } as const;
      assert.deepEqual(await names(resent), []);
      const everywhere = { tab: 'all', reason: 'http_server_error' } as const;
      assert.deepEqual(await names(everywhere), ['a?x=1', 'c']);
      const counts = await store.lists.countTabs(teamId, undefined);
      assert.deepEqual(
        [counts.failed, counts.resent, counts.all].map(({ count }) => count),
        [3, 1, 4],
      );
      assert.equal((await store.teamCounts.readAttention(teamId)).failedJobs, 3);
      assert.deepEqual(await names({ tab, statusCode: 'none' }), ['ab']);
      assert.deepEqual(await names({ tab, statusCode: 503 }), ['a?x=1']);
      assert.deepEqual(await names({ tab, statusCode: '502,504' }), []);
      assert.deepEqual(await names({ tab, statusCode: '5xx' }), ['a?x=1', 'b']);
      assert.deepEqual(await names({ tab, statusCode: '4xx,599' }), ['b']);
      assert.deepEqual(await names({ tab: 'all', statusCode: '503,none' }), ['a?x=1', 'ab', 'c']);
      assert.deepEqual(await names({ tab, statusCode: '404,none' }), ['ab']);
      assert.deepEqual(await names({ tab, urlPrefix: `${URL_START}a` }), ['a?x=1', 'ab']);
      assert.deepEqual(await names({ tab, target: `${URL_START}a` }), ['a?x=1']);
      assert.deepEqual(await names({ tab, from: TEST_START - 3000, to: TEST_START - 1000 }), [
        'ab',
        'b',
      ]);
      assert.deepEqual(await names({ tab: 'completed', reason: 'timeout' }), []);
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
      const found = await names({ tab: 'all', urlPrefix: `${URL_START}${long}` });
      assert.deepEqual(found.toSorted(), [`${long}1`, `${long}2`, `${long}3`]);
      assert.deepEqual(await names({ tab: 'all', urlPrefix: `${URL_START}${long}2` }), [
        `${long}2`,
      ]);
      assert.deepEqual(await names({ tab: 'all', urlPrefix: `${URL_START}X` }), []);
    });

    test('an id finds all attempts of its job', async () => {
      await using store = await openTestStore();
      const { add, names } = await setScene(store);
      const first = await add('one', ended('retried', TEST_START - 9));
      const second = await add('two', { original_id: first, attempt_number: 2 });
      await add('other');
      assert.deepEqual(await names({ tab: 'all', id: first }), ['two', 'one']);
      assert.deepEqual(await names({ tab: 'all', id: second }), ['two', 'one']);
      assert.deepEqual(await names({ tab: 'retrying', id: first }), ['two']);
      assert.deepEqual(await names({ tab: 'all', id: newId(TEST_START) }), []);
    });

    test('texts are found in payloads and response bodies, exactly as written', async () => {
      await using store = await openTestStore();
      const { add, names, teamId } = await setScene(store);
      const id = await add('a', failed(TEST_START, { payload: '{"order": "Ä%_42"}' }));
      await add('b', failed(TEST_START, { payload: '{"order": "x"}' }));
      await fillResponses(store, [{ team_id: teamId, run_id: id, body: 'no such Öre' }]);
      assert.deepEqual(await names({ tab: 'failed', payloadText: 'Ä%_42' }), ['a']);
      assert.deepEqual(await names({ tab: 'failed', payloadText: 'ä%_42' }), []);
      assert.deepEqual(await names({ tab: 'failed', payloadText: '%' }), ['a']);
      assert.deepEqual(await names({ tab: 'all', responseText: 'Öre' }), ['a']);
      assert.deepEqual(await names({ tab: 'all', responseText: 'öre' }), []);
    });

    test('words are found in every part of a job that pages show', async () => {
      await using store = await openTestStore();
      const { add, names, teamId } = await setScene(store);
      const error_message = 'Connection error: refused';
      const url = 'http://127.0.0.1:4199/a';
      const id = await add(
        'a',
        failed(TEST_START, { payload: '{"order": 42}', url, error_message }),
      );
      await fillResponses(store, [{ team_id: teamId, run_id: id, body: 'no such Öre' }]);
      const waiting = await add('b', { payload: '{"order": 7}' });
      const find = (words: string) => names({ tab: 'all', words });
      for (const words of [
        '127.0.0.1:4199',
        ':4199/A',
        'REFUSED',
        '"order": 42',
        'Öre',
        id.slice(-8),
      ])
        assert.deepEqual(await find(words), ['a'], words);
      assert.deepEqual(await find(waiting.slice(-8)), ['b']);
      assert.deepEqual((await find('order')).toSorted(), ['a', 'b']);
      const queue = (await store.lists.listSourceStates(teamId, 'queue'))[0]?.name ?? '';
      assert.deepEqual((await find(queue.toUpperCase())).toSorted(), ['a', 'b']);
      for (const words of ['öre', '%', '"order": 9'])
        assert.deepEqual(await find(words), [], words);
    });

    once('a text search stops after a number of jobs and continues from there', async () => {
      await using store = await openTestStore();
      const { teamId, queueId, add } = await setScene(store);
      const jobs = Array.from({ length: 4_500 }, (_, n) => ({
        team_id: teamId,
        queue_id: queueId,
        ...ended('success', TEST_START - n),
      }));
      await fillJobs(store, jobs);
      const id = await add(
        'last',
        ended('success', TEST_START - 30_000, { payload: '["needle"]' }),
      );
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
        assert.deepEqual(await store.lists.countJobs(otherTeamId, search), {
          count: 0,
          isMore: false,
        });
      }
      const counts = await store.lists.countTabs(otherTeamId, queueId);
      assert.deepEqual(counts.all, { count: 0, isMore: false });
      const { groups } = await store.lists.groupFailures(otherTeamId, {
        queueId,
        from: 0,
        to: TEST_START + 1,
      });
      assert.deepEqual(groups, []);
    });
  });

  describe('counts of jobs', () => {
    test('tabs are counted overall and by queue', async () => {
      await using store = await openTestStore();
      const { add, teamId, otherQueueId } = await setScene(store);
      await add('a');
      await add('b', { queue_id: otherQueueId });
      await add('c', { attempt_number: 2 });
      await add('d', failed(TEST_START));
      await add('e', ended('retried', TEST_START));
      const counted = async (queueId?: string) => {
        const counts = await store.lists.countTabs(teamId, queueId);
        return Object.fromEntries(Object.entries(counts).map(([tab, { count }]) => [tab, count]));
      };
      const none = { processing: 0, completed: 0, resent: 0 };
      const whole = { all: 5, pending: 2, retrying: 1, failed: 1, retried: 1 };
      assert.deepEqual(await counted(), { ...none, ...whole });
      const other = { ...none, all: 1, pending: 1, retrying: 0, failed: 0, retried: 0 };
      assert.deepEqual(await counted(otherQueueId), other);
    });

    once('counting stops at ten thousand and reports that there are more', async () => {
      await using store = await openTestStore();
      const { teamId, queueId } = await setScene(store);
      const job = { team_id: teamId, queue_id: queueId, ...failed(TEST_START) };
      await fillJobs(
        store,
        Array.from({ length: 10_000 }, () => job),
      );
      const counted = async () => (await store.lists.countTabs(teamId, undefined)).failed;
      assert.deepEqual(await counted(), { count: 10_000, isMore: false });
      await fillJobs(store, [job]);
      assert.deepEqual(await counted(), { count: 10_000, isMore: true });
      const reason = 'http_server_error';
      assert.deepEqual(await store.lists.countJobs(teamId, { tab: 'failed', reason }), {
        count: 10_000,
        isMore: true,
      });
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
      assert.equal(groups.length, 3);
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

  describe('crons by words', () => {
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
});
