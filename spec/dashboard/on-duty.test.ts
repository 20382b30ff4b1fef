import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { aClaimedJob, aNode, declareDead } from '#testing/factories';
import { fillJobs, fillResponses } from '#testing/fill';
import { PlainPage } from '#testing/plain-page';
import { endRuns } from '#testing/run-rows';
import { asText, type Visitor } from '#testing/visitor';

/** What failed, why, and again (§3.3): what a page says to whoever was just woken, as the server writes it. */

// What is resent waits until a test has looked at it.
const dashboard = useDashboard({}, { sends: false });

interface Scene {
  user: TestUser;
  visitor: Visitor;
  queueId: string;
}

async function begin(): Promise<Scene> {
  const user = await dashboard.newTeam();
  const { id: queueId } = await dashboard.service.work.setQueue(user.teamId, 'mail', {});
  return { user, visitor: await dashboard.signIn(user), queueId };
}

async function fail({ user, queueId }: Scene, count: number, body: string): Promise<string[]> {
  const now = Date.now();
  const failed = {
    team_id: user.teamId,
    queue_id: queueId,
    status: 'dead_lettered',
    created_at: now - 120_000,
    started_at: now - 61_000,
    completed_at: now - 60_000,
    reason: 'http_server_error',
    response_status: 500,
    error_message: 'HTTP 500 error',
  };
  const ids = await fillJobs(
    dashboard.service.store,
    Array.from({ length: count }, () => failed),
  );
  const responses = ids.map((run_id) => ({ team_id: user.teamId, run_id, body }));
  await fillResponses(dashboard.service.store, responses);
  return ids;
}

/** The red notice alone. */
const noticeOf = (html: string) => asText(/<div[^>]*role="alert".*/s.exec(html)?.[0] ?? '');

describe('the explanation of a failure', () => {
  test('the explanation of a failure has the first 200 characters of the response, as text', async () => {
    const scene = await begin();
    const { visitor } = scene;
    const body = `{"error":\n   "disk full"}${'x'.repeat(400)}`;
    const [jobId] = await fail(scene, 1, body);
    const start = `Its response: {"error": "disk full"}${'x'.repeat(178)}…`;
    assert.ok(noticeOf((await visitor.get(`/jobs/${jobId}`)).text).includes(start));
    const [empty] = await fail(scene, 1, ' \n');
    assert.doesNotMatch(await visitor.read(`/jobs/${empty}`), /Its response/);
    const [markup] = await fail(scene, 1, '<img src=x onerror=alert(1)>');
    const { text } = await visitor.get(`/jobs/${markup}`);
    assert.doesNotMatch(text, /<img/);
    assert.match(noticeOf(text), /Its response: &lt;img src=x/);
  });

  test('a failing queue and its failed jobs show the cause, the count, the note and the runbook', async () => {
    const scene = await begin();
    const { user, visitor, queueId } = scene;
    const { work } = dashboard.service;
    const alerts = { note: 'Ask the mail team', runbookUrl: 'https://runbooks.example/mail' };
    const queue = await work.findQueue(user.teamId, queueId);
    const alertSettings = { ...(queue?.alertSettings ?? assert.fail()), ...alerts };
    await work.editQueue(user.teamId, queueId, { alertSettings });
    const [jobId] = await fail(scene, 3, 'disk full');
    const page = await visitor.get(`/queues/${queueId}`);
    const inNotice = noticeOf(page.text);
    assert.match(asText(page.text), /mail Failing 3 of 3/);
    assert.match(inNotice, /3 jobs failed in a row since \d+ \w+ \d\d:\d\d UTC: HTTP 500/);
    const job = noticeOf((await visitor.get(`/jobs/${jobId}`)).text);
    assert.match(job, /Its queue mail is failing: 3 jobs failed in a row since/);
    for (const notice of [inNotice, job])
      for (const part of ['Its response: disk full', alerts.note, alerts.runbookUrl])
        assert.ok(notice.includes(part), part);
    assert.match(await visitor.read('/queues'), /Failing 3 of 3 mail/);
    assert.match(
      await visitor.read('/'),
      /Failing 3 of 3 mail queue HTTP 500 error since .* Retry 3/,
    );
  });
});

test('resent jobs show their outcomes with links', async () => {
  const scene = await begin();
  const { user, visitor } = scene;
  const { store } = dashboard.service;
  await fail(scene, 4, 'disk full');
  const form = { intent: 'retry', all: '1', as_of: String(Date.now()) };
  await visitor.post('/jobs?tab=failed&code=500', form);
  const waiting = await store.jobs.list(user.teamId, { status: 'pending', limit: 3 });
  const ids = waiting.map(({ id }) => id);
  await endRuns(store, 'jobs', ids, { status: 'success', completed_at: Date.now() });
  const page = await visitor.get('/jobs?tab=failed');
  const bar = /Retried 4 of 4 jobs\. 3 succeeded, 1 under way – Show the resent jobs/;
  assert.match(asText(page.text), bar);
  const [, to = ''] = /href="([^"]+)"[^>]*>Show the resent jobs/.exec(page.text) ?? [];
  const resent = await visitor.get(to.replaceAll('&amp;', '&'));
  assert.equal(resent.text.match(/>resent<\/a>/g)?.length, 4, 'each with a link to its new job');
});

describe('a list of jobs', () => {
  test('the job list begins with the latest, and waiting jobs have a section of their own', async () => {
    const scene = await begin();
    const { user, visitor, queueId } = scene;
    await fail(scene, 12, 'disk full');
    const now = Date.now();
    const waiting = { team_id: user.teamId, queue_id: queueId, scheduled_at: now + 600_000 };
    await fillJobs(dashboard.service.store, [
      waiting,
      { ...waiting, scheduled_at: now + 60_000, url: 'http://target.example/soonest' },
    ]);
    const { text } = await visitor.get('/jobs');
    const [, toCome = '', happened = ''] = text.split('<caption');
    assert.match(toCome, /Jobs to come/);
    assert.match(toCome, /\/soonest".*\/hook"/s, 'soonest first');
    assert.equal(asText(happened).match(/Dead-lettered/g)?.length, 12);
    assert.doesNotMatch(asText(happened), /Pending/);
    assert.match(text, /<details class="[^"]*">\s*<summary>To come/, 'closed beside a long list');
    const pending = await visitor.get('/jobs?tab=pending');
    assert.equal(pending.text.match(/aria-label="Select row"/g)?.length, 2);
    assert.doesNotMatch(pending.text, /Jobs to come/);
  });

  test("the job list shows times in UTC or in the viewer's time zone", async () => {
    const { user, visitor, queueId } = await begin();
    const completed_at = Date.UTC(2026, 10, 20, 16);
    const failed = { status: 'dead_lettered', started_at: 1, completed_at, reason: 'timeout' };
    const row = { team_id: user.teamId, queue_id: queueId, ...failed };
    const [id] = await fillJobs(dashboard.service.store, [row]);
    const assertShown = async (head: RegExp, short: string, exact: RegExp) => {
      for (const path of ['/jobs', '/failures']) {
        const page = await visitor.read(path);
        assert.match(page, head, path);
        assert.ok(page.includes(short), `${path}: ${page}`);
      }
      assert.match(await visitor.read(`/jobs/${id}`), exact);
    };
    const assertUtc = () => assertShown(/, UTC /, '20 Nov 16:00', /16:00:00 UTC/);
    await assertUtc();
    visitor.cookies.set('belfry_zone', encodeURIComponent('Europe/Berlin'));
    const { text } = await visitor.get('/jobs');
    assert.match(text, /title="[^"]* UTC\n[^"]* \(Europe\/Berlin\)"/, 'the tooltip has both');
    await assertUtc();
    await visitor.post('/theme', { times: 'local', next: '/jobs' });
    await assertShown(/, local /, '20 Nov 17:00', /17:00:00 Europe\/Berlin/);
  });
});

test('the page of an earlier attempt can fire the waiting retry', async () => {
  const scene = await begin();
  const { user, visitor, queueId } = scene;
  const now = Date.now();
  const of = { team_id: user.teamId, queue_id: queueId };
  const [first = ''] = await fillJobs(dashboard.service.store, [
    { ...of, status: 'retried', started_at: now - 2000, completed_at: now - 1000 },
  ]);
  const [second = ''] = await fillJobs(dashboard.service.store, [
    { ...of, original_id: first, attempt_number: 2, scheduled_at: now + 3_600_000 },
  ]);
  const { text } = await visitor.get(`/jobs/${first}`);
  assert.match(text, new RegExp(`<form[^>]*action="/jobs/${second}"`));
  assert.match(asText(text), /Fire the retry now/);
  assert.doesNotMatch(await visitor.read(`/jobs/${second}`), /Fire the retry/);
  await visitor.post(`/jobs/${second}`, { intent: 'fire', job: second });
  const fired = await dashboard.service.work.findJob(user.teamId, second);
  assert.ok(fired && fired.scheduledAt < now + 60_000);
  await dashboard.service.work.pauseQueue(user.teamId, queueId);
  assert.match(await visitor.read(`/jobs/${first}`), /Fire the retry when the queue is enabled/);
});

test('a job whose worker failed has no known outcome and no callback, and can be retried (§3.6)', async () => {
  const { user, visitor } = await begin();
  const { store, work } = dashboard.service;
  const callbackUrl = 'http://target.example/callback';
  const { id } = await aClaimedJob(store, user.teamId, await aNode(store), { callbackUrl });
  await declareDead(store);
  const failed = await work.findJob(user.teamId, id);
  assert.equal(failed?.status, 'dead_lettered');
  const page = await PlainPage.open(visitor, `/jobs/${id}`);
  page.shows('The service stopped while the request was running');
  page.shows('It is unknown whether the target received the request');
  page.shows('Check the target. Retry if doing it twice does no harm.', 'Not sent for this run');
  await page.press('Retry');
  page.shows('A new job was created.');
  const jobs = await work.listJobs(user.teamId, { limit: 10 });
  assert.deepEqual(jobs.map(({ status }) => status).toSorted(), ['dead_lettered', 'pending']);
  const stays = await work.findJob(user.teamId, id);
  assert.deepEqual({ ...stays, retriedAs: null }, failed);
});
