import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '#domain/base/instant';
import { newId } from '#domain/base/ids';
import { writeTrace } from '#domain/runs/run-trace';
import { fillExecutions, fillJobs } from '#testing/fill';
import {
  aCallback,
  aClaimant,
  aClaimedJob,
  aCron,
  aDeadLetter,
  aJob,
  anExecutionSettlement,
  aNode,
  aQueue,
  aSettlement,
  claimJobs,
} from '#testing/factories';
import { forEachStore, TEST_START } from '#testing/stores';
import { openWork } from '#testing/work';

const TIMING = { dnsMs: 1, connectMs: 2, tlsMs: 3, waitingMs: 4, receivingMs: 5 };

forEachStore((_, openTestStore, once) => {
  describe('the page of a job', () => {
    once(
      'the page of a job shows the request with masked secrets until they are requested',
      async () => {
        await using fixture = await openWork(openTestStore);
        const { store, work, team } = fixture;
        await store.teams.setSigningSecret(team.id, 'key', TEST_START);
        const { jobId } = await aJob(store, team.id, {
          method: 'GET',
          url: 'http://target.example/?a=1#x',
          headers: [
            ['Authorization', 'Bearer s3cret'],
            ['X-Shown', 'yes'],
          ],
          payload: '{"b": "c d"}',
        });
        const detail = await work.readJobDetail(team.id, jobId);
        assert.ok(detail);
        assert.equal(detail.request.url, 'http://target.example/?a=1&b=c%20d');
        assert.equal(detail.request.bodyText, null);
        assert.ok(!JSON.stringify(detail).includes('s3cret'));
        const shown = detail.request.headers.map(({ name, value }) => [name, value]);
        assert.deepEqual(shown, [
          ['host', 'target.example'],
          ['connection', 'keep-alive'],
          ['User-Agent', 'node'],
          ['Authorization', null],
          ['X-Shown', 'yes'],
        ]);
        assert.equal(detail.request.signedText, null, 'nothing is signed before it is sent');
        assert.ok(!/host|connection/i.test(detail.curl), detail.curl);
        assert.equal(detail.response, null);
        assert.equal(detail.explanation, null);
        const asked = await work.readJobDetail(team.id, jobId, { showSecrets: true });
        assert.ok(asked?.curl.includes('s3cret'));
        assert.equal(asked?.again.headers[0]?.value, 'Bearer s3cret');
      },
    );

    once('the page of a job shows whether the callback is pending or sent', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, node } = fixture;
      const callbackUrl = 'http://caller.example/';
      const job = await aClaimedJob(store, team.id, node, { callbackUrl });
      const callback = aCallback(store, job);
      await store.runs.settle(node, aSettlement(store, job, { callback }));
      const state = async () => (await work.readJobDetail(team.id, job.id))?.callback.state;
      assert.equal(await state(), 'waiting');
      await store.callbacks.take(node, [{ teamId: team.id, slots: 1 }]);
      assert.equal(await state(), 'sent');
    });

    once('the page and response of a job are not found for another team', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam } = fixture;
      const job = await aDeadLetter(store, team.id, await aNode(store));
      assert.notEqual(await work.readJobDetail(team.id, job.id), null);
      for (const id of [job.id, 'x', newId(TEST_START)]) {
        assert.equal(await work.readJobDetail(otherTeam.id, id, { showSecrets: true }), null);
        assert.equal(await work.readResponseText(otherTeam.id, id), null);
        assert.equal(await work.readExecutionDetail(otherTeam.id, id), null);
      }
    });
  });

  describe('the pages of crons', () => {
    once('an execution shows where it was sent, though its cron was edited since', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam, node } = fixture;
      const cron = await aCron(store, team.id, { nextRunAt: TEST_START, name: 'Nightly' });
      const asked = [{ id: team.id, slots: 1 }];
      const { claimed } = await store.runs.claimExecutions(asked, aClaimant(store, node));
      const [run] = claimed;
      assert.ok(run);
      const trace = { timing: TIMING, address: null, responseHeaders: [] };
      const sent = { method: 'PUT', url: 'http://before.example/', payloadHash: '' } as const;
      const response = {
        body: Buffer.from('x'),
        totalBytes: 1,
        trace: writeTrace(trace, [], { sent }),
      };
      const end = { responseStatus: 500, reason: 'http_server_error', errorMessage: null } as const;
      const failed = anExecutionSettlement(store, run, { status: 'failed', end, response });
      await store.runs.settle(node, failed);
      const detail = await work.readExecutionDetail(team.id, run.id);
      assert.equal(detail?.request.url, 'http://before.example/');
      assert.equal(detail?.cron.name, 'Nightly');
      assert.deepEqual(detail?.timing, TIMING);
      assert.match(detail?.explanation?.title ?? '', /500 Internal Server Error/);
      assert.equal(await work.readExecutionDetail(otherTeam.id, run.id), null);
      const { troubles, nextUp } = await work.readOverview(team.id);
      const [trouble] = troubles;
      assert.deepEqual([trouble?.id, trouble?.lastRun?.responseStatus], [cron.id, 500]);
      assert.equal(nextUp[0]?.kind, 'cron');
      assert.deepEqual((await work.readOverview(otherTeam.id)).troubles, []);
    });

    test('crons are listed by name, with last runs and success rate', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam } = fixture;
      await aCron(store, otherTeam.id, { name: 'of another team' });
      const { id: cron_id } = await aCron(store, team.id, { name: 'a' });
      for (const name of ['c', 'b', 'b']) await aCron(store, team.id, { name });
      const executions = Array.from({ length: 60 }, (_, n) => {
        const status = n % 2 ? 'success' : 'failed';
        return { team_id: team.id, cron_id, status, created_at: TEST_START + n };
      });
      await fillExecutions(store, executions);
      const { rows } = await work.listCronRows(team.id);
      assert.equal(rows.map(({ cron }) => cron.name).join(''), 'abbc');
      const [row] = rows;
      assert.equal(row?.recentResults.length, 50);
      assert.equal(row?.successRate, 0.5);
      assert.equal(row?.recentResults.at(-1)?.id, row?.lastRun?.id);
      assert.equal(rows[1]?.successRate, null);
    });

    test('crons are searched by text and health, those that fail first', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam } = fixture;
      await aCron(store, otherTeam.id, { name: 'needle of another team' });
      const make = (name: string, more: Parameters<typeof aCron>[2] = {}) =>
        aCron(store, team.id, { name, ...more });
      const needle = await make('a Needle', { url: 'http://one.example/' });
      await make('b', { url: 'http://needle.example/', nextRunAt: null });
      const failing = await make('needles');
      const mended = await make('z needle, mended');
      await Promise.all(Array.from({ length: 30 }, (_, n) => make(`hay ${n}`)));
      const run = (cron_id: string, status: string, n: number) => {
        return { team_id: team.id, cron_id, status, created_at: TEST_START + n };
      };
      await fillExecutions(store, [
        run(failing.id, 'success', 1),
        run(failing.id, 'failed', 2),
        run(mended.id, 'failed', 1),
        run(mended.id, 'success', 2),
      ]);
      await store.crons.addExecution(team.id, failing.id, TEST_START + 3);
      const find = async (page: Parameters<typeof work.listCronRows>[1]) => {
        const { rows } = await work.listCronRows(team.id, page);
        return rows.map(({ cron }) => cron.name);
      };
      const all = ['needles', 'a Needle', 'b', 'z needle, mended'];
      assert.deepEqual(await find({ text: 'NEEDLE' }), all);
      assert.deepEqual(await find({ text: needle.id }), ['a Needle']);
      assert.deepEqual(await find({ text: 'needle', health: 'paused' }), ['b']);
      assert.deepEqual(await find({ health: 'failing' }), ['needles'], 'though one runs');
      assert.deepEqual(await find({ text: 'needle%' }), [], 'nothing is a pattern');
    });

    test('the history marks a run that overlaps one of another page', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team } = fixture;
      const cron = await aCron(store, team.id);
      const times = [
        [0, 60],
        [50, 100],
        [110, 300],
        [120, 130],
        [300, 310],
      ] as const;
      const executions = times.map(([from, to]) => {
        const [created_at, completed_at] = [TEST_START + from, TEST_START + to];
        return {
          team_id: team.id,
          cron_id: cron.id,
          created_at,
          started_at: created_at,
          completed_at,
        };
      });
      const ids = await fillExecutions(store, executions);
      const marked: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await work.listCronHistory(team.id, cron.id, { limit: 1, cursor });
        marked.push(...page.rows.filter(({ overlaps }) => overlaps).map(({ id }) => id));
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      assert.deepEqual(marked, [ids[3], ids[1]]);
    });

    test('the history pages forth and back, of all runs or of one status', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam } = fixture;
      const cron = await aCron(store, team.id);
      const executions = Array.from({ length: 7 }, (_, n) => {
        const status = n === 3 ? 'failed' : 'success';
        return { team_id: team.id, cron_id: cron.id, status, created_at: TEST_START + n };
      });
      const ids = await fillExecutions(store, executions);
      const read = async (cursor?: string | null) => {
        const search = { limit: 3, ...(cursor && { cursor }) };
        const page = await work.listCronHistory(team.id, cron.id, search);
        return { ...page, ids: page.rows.map(({ id }) => id) };
      };
      const first = await read();
      const second = await read(first.next);
      const third = await read(second.next);
      assert.deepEqual([first.ids, second.ids, third.ids].flat(), ids.toReversed());
      assert.equal(third.next, null);
      assert.deepEqual((await read(second.previous)).ids, first.ids);
      const failed = await work.listCronHistory(team.id, cron.id, { status: 'failed' });
      assert.deepEqual(
        failed.rows.map(({ id }) => id),
        [ids[3]],
      );
      assert.deepEqual((await work.listCronHistory(otherTeam.id, cron.id)).rows, []);
      assert.equal(await work.readCronRow(otherTeam.id, cron.id), null);
      assert.equal(await work.describeCronDeletion(otherTeam.id, cron.id), null);
      const range = { from: TEST_START - HOUR_MS, to: TEST_START + HOUR_MS, steps: 2 };
      assert.equal(await work.readDurations(otherTeam.id, cron.id, range), null);
      const durations = await work.readDurations(team.id, cron.id, range);
      assert.deepEqual(
        durations?.steps.map(({ runs, failed: bad }) => [runs, bad]),
        [
          [0, 0],
          [7, 1],
        ],
      );
      assert.deepEqual(await work.describeCronDeletion(team.id, cron.id), {
        waiting: { count: 0, isMore: false },
        running: 0,
        finished: { count: 7, isMore: false },
      });
    });
  });

  describe('the pages of queues', () => {
    test('the page of a queue with a rate shows waiting jobs and the time of the last', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, node } = fixture;
      const rate = { count: 6, per: 'minute' } as const;
      const queue = await aQueue(store, team.id, { rate });
      const wait = (of = queue) => work.readRateWait(team.id, of);
      assert.equal(await wait(), null, 'nothing waits');
      for (let n = 0; n < 4; n++) await aJob(store, team.id);
      await aJob(store, team.id, { delaySeconds: 60 });
      const now = store.clock.now();
      const due = (count: number) => ({ count, isMore: false });
      assert.deepEqual(await wait(), { due: due(4), lastAt: now + 30_000 });
      await claimJobs(store, node, { queueIds: [queue.id] });
      assert.deepEqual(await wait(), { due: due(3), lastAt: now + 30_000 });
      assert.equal(await wait({ ...queue, isPaused: true }), null);
      assert.equal(await wait({ ...queue, rate: null }), null);
    });

    test('queues come in pages by name, forwards and backwards, narrowed or not', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam } = fixture;
      for (const name of ['d', 'b', 'e', 'a', 'c'])
        await aQueue(store, team.id, { name, isPaused: name > 'b', tags: ['x'] });
      await aQueue(store, otherTeam.id, { name: 'bb' });
      const read = async (page: Parameters<typeof work.listQueueRows>[1]) => {
        const { rows, next, previous } = await work.listQueueRows(team.id, { limit: 2, ...page });
        const cursors = { next: next ?? '', previous: previous ?? '' };
        return { names: rows.map(({ queue }) => queue.name).join(''), ...cursors };
      };
      const first = await read({});
      const second = await read({ cursor: first.next });
      const third = await read({ cursor: second.next });
      assert.deepEqual([first.names, second.names, third.names], ['ab', 'cd', 'e']);
      assert.deepEqual([first.previous, third.next], ['', '']);
      const back = await read({ cursor: third.previous });
      assert.equal(back.names, 'cd');
      assert.equal((await read({ cursor: back.previous })).names, 'ab');
      const paused = await read({ health: 'paused', tag: 'x' });
      assert.equal(paused.names, 'cd');
      assert.equal((await read({ health: 'paused', cursor: paused.next })).names, 'e');
      assert.equal((await read({ health: 'idle' })).names, 'ab');
      assert.equal((await read({ text: 'B' })).names, 'b');
      assert.equal((await read({ text: 'nowhere' })).names, '');
      const odd = ['', 'n', 'x', 'p', `n${team.id}`, `p${team.id}`];
      for (const cursor of odd) assert.equal((await read({ cursor })).names, 'ab', cursor);
    });

    once(
      'a page continues at the place of a queue that was deleted or has another health',
      async () => {
        await using fixture = await openWork(openTestStore);
        const { store, work, team } = fixture;
        const names = ['a', 'B', 'c', 'D', 'e', 'f', 'G'];
        const ids: string[] = [];
        for (const name of names) ids.push((await aQueue(store, team.id, { name })).id);
        const read = async (cursor: string | null, health?: 'idle') => {
          const search = { limit: 2, ...(cursor && { cursor }), ...(health && { health }) };
          const { rows, ...cursors } = await work.listQueueRows(team.id, search);
          return { names: rows.map(({ queue }) => queue.name).join(''), ...cursors };
        };
        const remove = (n: number) => work.deleteQueue(team.id, ids[n] ?? '');
        const first = await read(null);
        const second = await read(first.next);
        await remove(1);
        await remove(2);
        assert.equal((await read(first.next)).names, 'De');
        assert.equal((await read(second.previous)).names, 'aD', 'a first page is full');
        const narrowed = await read(null, 'idle');
        assert.equal(narrowed.names, 'aD');
        await store.queues.save(team.id, 'D', { isPaused: true }, store.clock.now());
        assert.equal((await read(narrowed.next, 'idle')).names, 'ef');
        const { next } = await read(first.next);
        assert.equal((await read(next)).names, 'fG');
        await remove(5);
        await remove(6);
        const last = await read(next);
        assert.deepEqual([last.names, last.next], ['De', null], 'nothing is behind that place');
      },
    );

    test('a row of the queue list has waiting, running and failed jobs and its health', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam, node } = fixture;
      const paused = await aQueue(store, team.id, { name: 'a paused one', isPaused: true });
      await aDeadLetter(store, team.id, node, { queue: 'busy' });
      await aClaimedJob(store, team.id, node, { queue: 'busy' });
      await aJob(store, team.id, { queue: 'busy' });
      await aQueue(store, team.id, { name: 'busy', concurrencyLimit: 1 });
      const { rows } = await work.listQueueRows(team.id);
      assert.deepEqual(
        rows.map(({ queue, waiting, running, failed, health }) => {
          return [queue.name, waiting.count, running, failed.count, health];
        }),
        [
          ['busy', 1, 1, 1, 'failing'],
          ['a paused one', 0, 0, 0, 'paused'],
        ],
      );
      const busy = rows[0]?.queue.id ?? '';
      assert.deepEqual(await work.describeQueueDeletion(team.id, busy), {
        waiting: { count: 1, isMore: false },
        running: 1,
        finished: { count: 1, isMore: false },
      });
      const offered = await work.listOfferedQueues(team.id);
      assert.deepEqual(
        offered.map(({ name }) => name),
        ['busy'],
      );
      for (const id of [paused.id, busy, 'x']) {
        assert.equal(await work.readQueueRow(otherTeam.id, id), null);
        assert.equal(await work.describeQueueDeletion(otherTeam.id, id), null);
      }
    });
  });

  test('the overview counts at most a thousand failed jobs of a queue', async () => {
    await using fixture = await openWork(openTestStore);
    const { store, work, team } = fixture;
    const { id: queue_id } = await aQueue(store, team.id, { name: 'mail' });
    const ended = { status: 'dead_lettered', completed_at: store.clock.now() };
    const jobs = Array.from({ length: 1_001 }, () => ({ team_id: team.id, queue_id, ...ended }));
    await fillJobs(store, jobs);
    const { troubles } = await work.readOverview(team.id);
    assert.deepEqual(
      troubles.map(({ failedJobs }) => failedJobs),
      [{ count: 1_000, isMore: true }],
    );
  });

  test('a queue fails from its last success on, until a job succeeds or the failures are resent', async () => {
    await using fixture = await openWork(openTestStore);
    const { store, work, team, node } = fixture;
    const succeed = async () => {
      await store.testClock.advance(1000);
      const job = await aClaimedJob(store, team.id, node);
      await store.runs.settle(node, aSettlement(store, job, {}));
    };
    const fail = async () => {
      await store.testClock.advance(1000);
      return { id: (await aDeadLetter(store, team.id, node)).id, at: store.clock.now() };
    };
    const read = async () => {
      const [row] = (await work.listQueueRows(team.id)).rows;
      const { failingQueues } = await work.readAttention(team.id);
      return [row?.health, row?.streak?.runs, row?.streak?.lastRunId, failingQueues];
    };
    await fail();
    await succeed();
    assert.deepEqual(await read(), ['idle', undefined, undefined, 0]);
    const first = await fail();
    const second = await fail();
    assert.deepEqual(await read(), ['failing', 2, second.id, 1]);
    const [trouble] = (await work.readOverview(team.id)).troubles;
    assert.deepEqual(trouble?.streak, { runs: 2, since: first.at, lastRunId: second.id });
    assert.deepEqual([trouble.kind, trouble.failedJobs?.count], ['queue', 3]);
    await work.retryJob(team.id, second.id);
    assert.deepEqual(await read(), ['failing', 1, first.id, 1]);
    await work.retryJob(team.id, first.id);
    assert.deepEqual(await read(), ['active', undefined, undefined, 0], 'the new jobs wait');
    await store.testClock.advance(60_000);
    assert.deepEqual((await read())[0], 'late');
    await work.pauseTeam(team.id, 'Ada');
    assert.deepEqual((await read())[0], 'paused');
  });

  test('each failing queue of a list counts its own ended jobs, not attempts that were retried', async () => {
    await using fixture = await openWork(openTestStore);
    const { store, work, team, node } = fixture;
    for (const queue of ['a', 'a', 'a', 'b', 'c', 'c']) {
      await store.testClock.advance(1000);
      await aDeadLetter(store, team.id, node, { queue });
    }
    const { rows } = await work.listQueueRows(team.id);
    const retried = { team_id: team.id, status: 'retried', completed_at: store.clock.now() };
    await fillJobs(store, [{ ...retried, queue_id: rows[0]?.queue.id ?? '' }]);
    const { troubles } = await work.readOverview(team.id);
    assert.deepEqual(
      troubles.map(({ name, streak, finished }) => [name, streak?.runs, finished]),
      [
        ['c', 2, 2],
        ['b', 1, 1],
        ['a', 3, 3],
      ],
    );
  });

  test('a muted cron or queue shows it, unless it fails', async () => {
    await using fixture = await openWork(openTestStore);
    const { store, work, team } = fixture;
    const cron = await aCron(store, team.id);
    const failing = await aCron(store, team.id, { name: 'fails' });
    const end = { team_id: team.id, cron_id: failing.id, status: 'failed' };
    await fillExecutions(store, [end, end]);
    for (const { id } of [cron, failing]) await work.muteCron(team.id, id, 1);
    const { rows } = await work.listCronRows(team.id);
    assert.deepEqual(
      rows.map(({ health, isMuted, streak }) => [health, isMuted, streak?.runs]),
      [
        ['failing', true, 2],
        ['muted', true, undefined],
      ],
    );
  });

  describe('figures over time', () => {
    test('figures over time cover a queue, and a team with its week', async () => {
      await using fixture = await openWork(openTestStore);
      const { store, work, team, otherTeam, node } = fixture;
      const first = await aClaimedJob(store, team.id, node);
      await store.runs.settle(node, aSettlement(store, first, { end: { durationMs: 600 } }));
      await store.testClock.advance(48 * HOUR_MS);
      const second = await aClaimedJob(store, team.id, node);
      await store.runs.settle(node, aSettlement(store, second, { end: { durationMs: 12 } }));
      const { queueId } = await aJob(store, team.id);
      await store.testClock.advance(90_000);
      await store.depths.look(store.clock.now());
      const steps = { stepMs: HOUR_MS, count: 24 };
      const history = await work.readQueueHistory(team.id, queueId, steps);
      const now = history?.outcomes.at(-1);
      assert.deepEqual([now?.success, now?.failed, now?.from], [1, 0, TEST_START + 48 * HOUR_MS]);
      assert.equal(history?.outcomes.length, 24);
      assert.equal(history?.durations.at(-1)?.runs, 1);
      assert.deepEqual(history?.depths.at(-1)?.waiting, 1);
      assert.equal(history?.depths.at(-1)?.oldestMs, 90_000);
      assert.equal(history?.depths.at(-2)?.waiting, null);
      assert.equal(await work.readQueueHistory(otherTeam.id, queueId, steps), null);
      assert.equal(await work.readQueueHistory(team.id, 'x', steps), null);
      const { figures } = await work.readOverview(team.id);
      assert.equal(figures.lastDay.successRate, 1);
      assert.ok((figures.lastDay.p95Ms ?? 99) <= 15);
      assert.ok((figures.lastWeek.p95Ms ?? 0) > 500, 'the slow run of two days ago');
      assert.deepEqual([figures.oldestWaitMs, figures.longestWaitOfWeekMs], [90_000, 90_000]);
      assert.equal((await work.readOverview(otherTeam.id)).figures.lastWeek.runsAnHour, null);
    });
  });
});
