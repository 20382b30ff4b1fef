import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { A_CRON, A_JOB } from '#testing/factories';
import { fillJobs, type JobFill } from '#testing/fill';
import { endRuns } from '#testing/run-rows';
import { asText, type Visitor } from '#testing/visitor';

/**
 * What lists show, count and act on (§3.3, §8): a filter that can't be read matches nothing, every count leads to
 * exactly what it counted, and nothing is sent twice or deleted by a click that was about something else.
 */

// Nothing is sent: what the pages make of the rows is looked at.
const dashboard = useDashboard({}, { sends: false });

interface Scene {
  user: TestUser;
  visitor: Visitor;
  queueId: string;
  /** Adds failed jobs; each ended a second before the one added before it. */
  fail: (count: number, job?: Partial<JobFill>) => Promise<string[]>;
  counts: () => Promise<{ failed: number; resent: number; pending: number; all: number }>;
}

async function begin(): Promise<Scene> {
  const user = await dashboard.newTeam();
  const { work, store } = dashboard.service;
  const { id: queueId } = await work.setQueue(user.teamId, 'mail', {});
  let at = Date.now() - 60_000;
  return {
    user,
    visitor: await dashboard.signIn(user),
    queueId,
    fail: (count, job = {}) =>
      fillJobs(
        store,
        Array.from({ length: count }, () => ({
          team_id: user.teamId,
          queue_id: queueId,
          status: 'dead_lettered',
          created_at: at - 1000,
          completed_at: (at -= 1000),
          reason: 'http_server_error',
          response_status: 503,
          ...job,
        })),
      ),
    counts: async () => {
      const { failed, resent, pending, all } = await work.countTabs(user.teamId);
      return {
        failed: failed.count,
        resent: resent.count,
        pending: pending.count,
        all: all.count,
      };
    },
  };
}

describe('a filter', () => {
  test('an invalid filter matches nothing and shows an error at its field', async () => {
    const { visitor, fail, user } = await begin();
    const { work } = dashboard.service;
    await fail(2);
    const { id } = await work.createCron(user.teamId, {
      ...A_CRON,
      name: 'Nightly',
      url: 'http://a.test/',
      method: 'GET',
      timeoutSeconds: 5,
    });
    for (const [path, says] of [
      ['/jobs?tab=failed&code=5x', 'Write codes such as 503, 5xx'],
      ['/jobs?tab=failed&from=yesterday', 'Write a date and time'],
      ['/jobs?tab=failed&reason=why', 'This is none of: http_client_error'],
      ['/jobs?tab=failed&queue=mail', 'This team has no such queue.'],
      ['/jobs?tab=failed&resent=maybe', 'This is none of: any, only.'],
      ['/jobs?tab=broken', 'Tab: This is none of: All, Pending'],
      ['/jobs?tab=failed&code=503&code=504', 'This filter is given twice.'],
      [`/jobs?tab=failed&payload=${'x'.repeat(2049)}`, 'at most 2,048 characters'],
      ['/failures?range=decade', 'Time range: This is none of: all, day'],
      ['/failures?queue=mail', 'This team has no such queue.'],
      ['/crons?status=broken', 'This is none of: failing, late, paused, muted, active, idle.'],
      [`/crons/${id}?status=broken`, 'Status: This is none of: success, failed.'],
      [`/crons/${id}?range=decade`, 'Time range: This is none of: day, week, month.'],
      ['/runs?from=now', 'Write a date and time'],
      ['/runs?from=2026-11-22&to=2026-11-21', 'The end comes before the beginning.'],
      ['/runs?of=queue:mail', 'This team has no such queue or cron.'],
      [`/runs?of=queue:${id}`, 'This team has no such queue or cron.'],
      ['/runs?code=5x', 'Write codes such as 503, 5xx'],
      ['/runs?reason=why', 'This is none of: http_client_error'],
      ['/runs?host=a%20b', 'Write a host such as api.example.com'],
      ['/runs?q=503&code=404', 'Another field filters by this, too.'],
      ['/alerts?level=loud', 'This is none of: failure'],
      ['/alerts?source=elsewhere', 'This is neither a cron nor a queue'],
      ['/alerts?delivery=lost&unread=maybe', 'This is none of: pending, sent'],
    ] as const) {
      const page = await visitor.read(path);
      assert.ok(page.includes(says), `${path}: ${page}`);
      const isOfList = !path.includes('?range') || path.startsWith('/failures');
      assert.equal(page.includes('The filter can’t be read'), isOfList, path);
      assert.doesNotMatch(page, /all failed|target\.example|Run Nightly now/, path);
    }
    const marked = await visitor.get('/jobs?tab=failed&code=5x');
    assert.match(marked.text, /<input[^>]*aria-invalid="true"[^>]*name="code"/);
  });

  test('a bulk action with an invalid filter does nothing', async () => {
    const { visitor, fail, counts } = await begin();
    await fail(3);
    for (const intent of ['delete', 'retry']) {
      const form = { intent, all: '1', as_of: String(Date.now()) };
      assert.equal((await visitor.post('/jobs?tab=failed&code=5x', form)).status, 302);
      const group = '/jobs?tab=failed&code=5x';
      assert.equal((await visitor.post('/failures', { ...form, group })).status, 302);
      assert.equal((await visitor.post('/failures', { ...form, group: 'http://[' })).status, 400);
    }
    assert.deepEqual(await counts(), { failed: 3, resent: 0, pending: 0, all: 3 });
    assert.match(await visitor.read('/failures'), /3/);
  });
});

test('a bulk action on all matches excludes jobs that failed after the page was loaded', async () => {
  const { visitor, fail, counts } = await begin();
  await fail(2);
  const page = await visitor.get('/jobs?tab=failed&code=5xx');
  assert.match(asText(page.text), /Delete 2 failed jobs that match the search\?/);
  const asOf = /name="as_of" value="(\d+)"/.exec(page.text)?.[1] ?? assert.fail();
  await fail(1, { response_status: 404 });
  await fail(1, { completed_at: Number(asOf) + 1 });
  const form = { intent: 'delete', all: '1' };
  const unsaid = await visitor.post('/jobs?tab=failed&code=5xx', form);
  assert.equal(unsaid.status, 400, 'nobody knows what the page showed');
  assert.equal((await counts()).failed, 4);
  const answer = await visitor.post('/jobs?tab=failed&code=5xx', { ...form, as_of: asOf });
  assert.equal(answer.status, 302);
  assert.equal((await counts()).failed, 2, 'the other code and what failed since are left');
  const one = await visitor.read('/jobs?tab=failed&code=404');
  assert.match(one, /Delete 1 failed job that matches the search\?/);
});

describe('a failed job that was resent', () => {
  test('a resent job counts nowhere as failed, and each count links to its jobs', async () => {
    const { visitor, user, fail, counts, queueId } = await begin();
    const { work } = dashboard.service;
    const [first = '', second = ''] = await fail(5);
    await work.retryJob(user.teamId, first);
    await work.retryJob(user.teamId, second);
    assert.deepEqual(await counts(), { failed: 3, resent: 2, pending: 2, all: 7 });
    const overview = await visitor.get('/');
    assert.match(asText(overview.text), /3 jobs failed \(no retries left\)/);
    assert.match(overview.text, />3<span class="sr-only"> (?:<!-- -->)?failed jobs/, 'the badge');
    const failures = await visitor.read('/failures');
    assert.match(failures, /Retry 3 failed jobs\?/);
    assert.match(await visitor.read(`/queues/${queueId}`), /Failed 3 Resent 2 /);
    const tab = await visitor.get('/jobs?tab=failed');
    assert.match(asText(tab.text), /Failed 3 .*Not resent Resent \(2\) Resent or not/);
    assert.match(asText(tab.text), /Delete 3 failed jobs\? None of them was resent\./);
    assert.equal(tab.text.match(/aria-label="Select row"/g)?.length, 3);
    const resent = await visitor.get('/jobs?tab=failed&resent=only');
    assert.equal(resent.text.match(/aria-label="Select row"/g)?.length, 2);
    for (const id of [first, second]) assert.ok(resent.text.includes(`/jobs/${id}"`));
    assert.match(asText(resent.text), /Retry 2 failed jobs .* 2 of them were resent\./);
    const all = asText((await visitor.get('/jobs?tab=failed&resent=any')).text);
    assert.match(
      all,
      /Retry 5 failed jobs .*\? 2 of them were resent\. Retry sends them once more\./,
    );
    assert.match(all, /Delete 5 failed jobs .*\? 2 of them were resent\./);
    assert.match(all, /Dead-lettered .*Dead-lettered .*, resent/, 'the status stays');
    const job = await visitor.read(`/jobs/${first}`);
    assert.match(job, /Dead-lettered *Resent/);
    assert.match(await visitor.read(`/jobs/${first}`), /This job was resent as a new job/);
  });

  test("a resent job can't be resent again before its outcome is shown", async () => {
    const { visitor, user, fail, counts } = await begin();
    const { work, store } = dashboard.service;
    const ids = await fail(3);
    for (const id of ids.slice(0, 2)) await work.retryJob(user.teamId, id);
    const [, done] = await work.listJobs(user.teamId, { limit: 2 });
    await endRuns(store, 'jobs', [done?.id ?? ''], { status: 'success', completed_at: 1 });
    const before = await counts();
    const ticked = new URLSearchParams([['intent', 'retry'], ...ids.map((id) => ['id', id])]);
    const send = (form: URLSearchParams) => visitor.post('/jobs?tab=failed', form as never);
    const asked = asText((await send(ticked)).text);
    assert.match(asked, /2 of 3 jobs were resent before\. Send them again\?/);
    assert.match(asked, /1 succeeded, 1 is under way/);
    assert.match(asked, /Retry all 3 again .*Retry the other/);
    assert.deepEqual(await counts(), before, 'nothing was sent');
    const one = await visitor.post(`/jobs/${ids[0]}`, { intent: 'retry', job: ids[0] ?? '' });
    assert.match(asText(one.text), /This job was resent before\. Send it again\?/);
    assert.deepEqual(await counts(), before, 'nothing was sent');
    ticked.set('resent', 'leave');
    await send(ticked);
    assert.equal((await counts()).pending, before.pending + 1, 'only the one that was not resent');
    const all = { intent: 'retry', all: '1', as_of: String(Date.now() + 1) };
    const many = await visitor.post('/jobs?tab=failed&resent=any', all);
    assert.match(asText(many.text), /3 of 3 jobs were resent before/);
    assert.equal((await counts()).pending, before.pending + 1);
    await visitor.post('/jobs?tab=failed&resent=any', { ...all, resent: 'again' });
    assert.equal((await counts()).pending, before.pending + 4, 'because it was confirmed');
  });
});

describe('the text of a row', () => {
  test('the row of a redirect shows that the redirect was not followed (§2.7)', async () => {
    const { visitor, fail } = await begin();
    await fail(2, { reason: null, response_status: 302, error_message: 'HTTP 302 error' });
    for (const path of ['/jobs?tab=failed', '/failures', '/'])
      assert.match(
        await visitor.read(path),
        /Unknown error \(HTTP 302, redirect not followed\)/,
        path,
      );
  });

  test('the row of a job in a paused queue shows that it can be fired when the queue is enabled (§3.2)', async () => {
    const { visitor, user, queueId } = await begin();
    const { work } = dashboard.service;
    const job = { ...A_JOB, url: 'http://target.example/held', delaySeconds: 3600 } as const;
    const { jobId } = await work.createJob(user.teamId, job);
    const pages = ['/jobs?tab=pending', `/jobs/${jobId}`];
    for (const path of pages) assert.match(await visitor.read(path), / Fire now /, path);
    await work.pauseQueue(user.teamId, queueId);
    for (const path of pages) {
      const page = await visitor.read(path);
      assert.match(page, / Fire when the queue is enabled /, path);
      assert.doesNotMatch(page, / Fire now /, path);
    }
    await visitor.post(`/jobs/${jobId}`, { intent: 'fire', job: jobId });
    const said = () => decodeURIComponent(visitor.cookies.get('belfry_toast') ?? '');
    assert.match(said(), /The job starts when its queue is enabled\./);
    const fired = await work.findJob(user.teamId, jobId);
    assert.ok(fired && fired.scheduledAt <= Date.now(), 'it waits for nothing but its queue');
    await work.pauseTeam(user.teamId, 'Ada');
    await visitor.post(`/jobs/${jobId}`, { intent: 'fire', job: jobId });
    assert.match(said(), /The job starts when the team is resumed: everything is paused\./);
  });
});

test('usage alerts appear at 80 and 100 % once a month and are not sent (§6.7)', async () => {
  const { visitor, user } = await begin();
  const { store } = dashboard.service;
  const now = Date.now();
  const use = async (runs: number) => {
    for (let n = 0; n < runs; n++) await store.usage.countOne(user.teamId, 10, now);
    await store.alerts.raiseUsage(now, () => 10);
    await store.alerts.raiseUsage(now, () => 10);
  };
  await use(7);
  assert.doesNotMatch(await visitor.read('/alerts'), /monthly limit/);
  await use(1);
  await use(2);
  const page = await visitor.read('/alerts');
  assert.equal(page.match(/80 % of the monthly limit is used/g)?.length, 1);
  assert.equal(page.match(/The monthly limit is reached/g)?.length, 1);
  assert.match(page, /8 of 10 runs of \w+ \d+ are used \(80 %\)/);
  assert.match(await visitor.read('/alerts?level=usage&unread=1'), /Usage .*In the app only/);
  assert.doesNotMatch(await visitor.read('/alerts?level=failure'), /monthly limit is/);
  assert.deepEqual(await store.notifications.scanWaiting(), []);
  const [newest] = await dashboard.service.work.listAlerts(user.teamId, { limit: 1 });
  await visitor.post('/alerts', { intent: 'read-all', id: newest?.id ?? '' });
  assert.equal((await dashboard.service.work.readAttention(user.teamId)).unreadAlerts, 0);
  const other = await begin();
  for (let n = 0; n < 5; n++) await store.usage.countOne(other.user.teamId, 5, now);
  for (let n = 0; n < 2; n++) await store.alerts.raiseUsage(now, () => 5);
  const both = await other.visitor.read('/alerts');
  assert.equal(both.match(/The monthly limit is reached/g)?.length, 1);
  assert.doesNotMatch(both, /80 % of the monthly limit is used/, 'both at once are one alert');
});

describe('details of lists', () => {
  test('a page whose rows were deleted says so, and leads to the rows before it', async () => {
    const { visitor, fail, user } = await begin();
    const ids = await fail(51);
    const { text } = await visitor.get('/jobs?tab=failed');
    const [older = ''] = /<a [^>]*rel="next"[^>]*>/.exec(text) ?? [];
    const path = /href="([^"]+)"/.exec(older)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(older);
    assert.doesNotMatch(await visitor.read(path), /This page is empty now/);
    await dashboard.service.work.deleteJob(user.teamId, String(ids.at(-1)));
    const emptied = await visitor.get(path);
    assert.match(asText(emptied.text), /This page is empty now. ?Its rows were deleted or changed/);
    assert.match(emptied.text, /rel="prev"/);
    assert.doesNotMatch(emptied.text, /rel="next"/);
  });
});
