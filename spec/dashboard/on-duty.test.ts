import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { change } from '#store/database/rows';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { A_CRON, aCron } from '#testing/factories';
import { fillExecutions, fillJobs, fillResponses } from '#testing/fill';
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

async function makeCron({ user }: Scene): Promise<string> {
  const { id } = await dashboard.service.work.createCron(user.teamId, {
    ...A_CRON,
    name: 'Rebuild the search index',
    url: 'http://target.example/index',
    timeoutSeconds: 5,
  });
  return id;
}

/** The red notice alone. */
const noticeOf = (html: string) => asText(/<div[^>]*role="alert".*/s.exec(html)?.[0] ?? '');

describe('the explanation of a failure', () => {
  test('the explanation of a failure has the first 200 characters of the response, as text', async () => {
    const scene = await begin();
    const { user, visitor } = scene;
    const body = `{"error":\n   "disk full"}${'x'.repeat(400)}`;
    const [jobId] = await fail(scene, 1, body);
    const cronId = await makeCron(scene);
    const [runId = ''] = await fillExecutions(dashboard.service.store, [
      { team_id: user.teamId, cron_id: cronId, status: 'failed', response_status: 500 },
    ]);
    await fillResponses(dashboard.service.store, [{ team_id: user.teamId, run_id: runId, body }]);
    const start = `Its response: {"error": "disk full"}${'x'.repeat(178)}…`;
    for (const path of [`/jobs/${jobId}`, `/executions/${runId}`]) {
      const { text } = await visitor.get(path);
      assert.ok(noticeOf(text).includes(start), path);
    }
    const [empty] = await fail(scene, 1, ' \n');
    assert.doesNotMatch(await visitor.read(`/jobs/${empty}`), /Its response/);
    const [markup] = await fail(scene, 1, '<img src=x onerror=alert(1)>');
    const { text } = await visitor.get(`/jobs/${markup}`);
    assert.doesNotMatch(text, /<img/);
    assert.match(noticeOf(text), /Its response: &lt;img src=x/);
  });

  test('a failing cron shows the explanation with its start until the first success', async () => {
    const scene = await begin();
    const { user, visitor } = scene;
    const cronId = await makeCron(scene);
    const add = (status: string, at: number, response_status: number) =>
      fillExecutions(dashboard.service.store, [
        {
          team_id: user.teamId,
          cron_id: cronId,
          status,
          response_status,
          reason: status === 'failed' ? 'http_server_error' : null,
          created_at: at,
          completed_at: at,
        },
      ]);
    const start = Date.UTC(2026, 10, 20, 16);
    await add('success', start - 60_000, 200);
    for (let n = 0; n < 4; n++) {
      const [run_id = ''] = await add('failed', start + n * 3_600_000, 500);
      await fillResponses(dashboard.service.store, [
        { team_id: user.teamId, run_id, body: `disk full, ${n}` },
      ]);
    }
    const page = await visitor.read(`/crons/${cronId}`);
    assert.match(page, /Failed 4 times in a row since 20 Nov 16:00 UTC: HTTP 500/);
    assert.match(page, /Its response: disk full, 3 /);
    await add('success', start + 5 * 3_600_000, 200);
    const after = await visitor.read(`/crons/${cronId}`);
    assert.doesNotMatch(after, /in a row|Its response/);
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

  test('the explanation comes before the response, and the response before the timing', async () => {
    const scene = await begin();
    const [jobId = ''] = await fail(scene, 1, 'disk full');
    const timing = { dnsMs: 1, connectMs: 1, tlsMs: null, waitingMs: 1, receivingMs: 1 };
    const trace = JSON.stringify({ timing, responseHeaders: [], address: '192.0.2.1' });
    await change(dashboard.service.store.database, 'ended_jobs', { id: jobId }, { trace });
    const { text } = await scene.visitor.get(`/jobs/${jobId}`);
    const parts = ['role="alert"', '<h2>Response', '<h2>Request', '<h2>Timing'];
    const places = parts.map((part) => text.indexOf(part));
    assert.ok(places.every((at) => at > 0));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
  });
});

describe('resent jobs', () => {
  const succeed = async ({ user }: Scene, count: number) => {
    const { store } = dashboard.service;
    const waiting = await store.jobs.list(user.teamId, { status: 'pending', limit: count });
    const ids = waiting.map(({ id }) => id);
    await endRuns(store, 'jobs', ids, { status: 'success', completed_at: Date.now() });
  };

  test('resent jobs show their outcomes with links', async () => {
    const scene = await begin();
    const { visitor } = scene;
    await fail(scene, 4, 'disk full');
    const form = { intent: 'retry', all: '1', as_of: String(Date.now()) };
    await visitor.post('/jobs?tab=failed&code=500', form);
    await succeed(scene, 3);
    const page = await visitor.get('/jobs?tab=failed');
    const bar = /Retried 4 of 4 jobs\. 3 succeeded, 1 under way – Show the resent jobs/;
    assert.match(asText(page.text), bar);
    const [, to = ''] = /href="([^"]+)"[^>]*>Show the resent jobs/.exec(page.text) ?? [];
    const resent = await visitor.get(to.replaceAll('&amp;', '&'));
    assert.equal(resent.text.match(/<tr/g)?.length, 5, 'four jobs and a head');
    assert.equal(resent.text.match(/>resent<\/a>/g)?.length, 4, 'each with a link to its new job');
  });

  test('the page of a job shows that it was resent', async () => {
    const scene = await begin();
    const { visitor } = scene;
    const [jobId] = await fail(scene, 1, 'disk full');
    await visitor.post(`/jobs/${jobId}`, { intent: 'retry', job: jobId ?? '' });
    const waiting = await visitor.read(`/jobs/${jobId}`);
    assert.match(waiting, /Retried 1 of 1 job\. 1 under way – Show the resent job/);
    assert.match(waiting, /resent as a new job *\. Pending This one is unchanged/);
    await succeed(scene, 1);
    const done = await visitor.read(`/jobs/${jobId}`);
    assert.match(done, /resent as a new job *\. Success This one is unchanged/);
  });
});

test('Delete is in a menu away from Retry, and Cancel closes the question', async () => {
  const scene = await begin();
  await fail(scene, 1, 'disk full');
  const cronId = await makeCron(scene);
  const pages = ['/jobs?tab=failed', '/failures', `/crons/${cronId}`, `/queues/${scene.queueId}`];
  for (const path of pages) {
    const { text } = await scene.visitor.get(path);
    assert.match(text, /data-danger[^>]*>Delete/, `${path} has it in a menu`);
    const beside = /<button[^>]*data-variant="danger"[^>]*popovertarget=/i;
    assert.doesNotMatch(text, beside, `${path} shows it beside the others`);
    assert.match(text, /popovertargetaction="hide"[^>]*>(?:<[^>]*>)*Cancel/i, path);
    assert.doesNotMatch(asText(text), /\bKeep\b/, path);
  }
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

  test('the job list shows waiting jobs if nothing has run yet, and a search filters them', async () => {
    const scene = await begin();
    const { user, visitor, queueId } = scene;
    const scheduled_at = Date.now() + 600_000;
    const waiting = { team_id: user.teamId, queue_id: queueId, scheduled_at };
    await fillJobs(dashboard.service.store, [waiting]);
    const { text } = await visitor.get('/jobs');
    assert.match(text, /<details class="[^"]*" open="">\s*<summary>To come/);
    assert.doesNotMatch(text, /No jobs yet/);
    assert.doesNotMatch(await visitor.read('/jobs?q=https://elsewhere.example/'), /To come/);
    const other = await begin();
    assert.doesNotMatch(await other.visitor.read('/jobs'), /To come/);
  });

  test("the job list shows times in UTC or in the viewer's time zone", async () => {
    const { user, visitor, queueId } = await begin();
    const { store } = dashboard.service;
    const short = (at: number, timeZone: string) =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone,
        day: 'numeric',
        month: 'short',
        hour: '2-digit',
        minute: '2-digit',
      })
        .format(at)
        .replace(',', '');
    const ended = Date.now() - 50 * 3_600_000;
    const due = Date.now() + 50 * 3_600_000;
    const of = { team_id: user.teamId, queue_id: queueId };
    const failed = { ...of, status: 'dead_lettered', started_at: 1, reason: 'timeout' } as const;
    const [id] = await fillJobs(store, [
      { ...failed, completed_at: ended },
      { ...of, scheduled_at: due },
    ]);
    const cron = await aCron(store, user.teamId, { nextRunAt: due });
    const lists: [string, number][] = [
      ['/jobs', ended],
      ['/crons', cron.nextRunAt ?? 0],
      ['/queues', due],
      ['/failures', ended],
    ];
    const assertShown = async (zone: string, head: RegExp, exact: RegExp) => {
      for (const [path, at] of lists) {
        const page = await visitor.read(path);
        assert.match(page, head, path);
        assert.ok(page.includes(short(at, zone)), `${path}: ${short(at, zone)} in ${page}`);
        assert.doesNotMatch(page, /\d d ago/);
      }
      assert.match(await visitor.read(`/jobs/${id}`), exact);
    };
    assert.doesNotMatch((await visitor.get('/jobs')).text, /Times in/, 'no zone is known');
    await assertShown('UTC', /, UTC /, /\d\d:\d\d:\d\d UTC/);
    visitor.cookies.set('belfry_zone', encodeURIComponent('Europe/Berlin'));
    const { text } = await visitor.get('/jobs');
    assert.match(text, /title="[^"]* UTC\n[^"]* \(Europe\/Berlin\)"/, 'the tooltip has both');
    await assertShown('UTC', /, UTC /, /\d\d:\d\d:\d\d UTC/);
    await visitor.post('/theme', { times: 'local', next: '/jobs' });
    await assertShown('Europe/Berlin', /, local /, /\d\d:\d\d:\d\d Europe\/Berlin/);
    await visitor.post('/theme', { times: 'utc', next: '/jobs' });
    await assertShown('UTC', /, UTC /, /\d\d:\d\d:\d\d UTC/);
  });
});

describe('next steps', () => {
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

  test('a queue’s page creates a job in it, unless it is paused', async () => {
    const scene = await begin();
    const { visitor, user, queueId } = scene;
    await dashboard.service.work.setQueue(user.teamId, 'another & more', {});
    assert.match((await visitor.get(`/queues/${queueId}`)).text, /href="\/jobs\/new\?queue=mail"/);
    const form = await visitor.get('/jobs/new?queue=another%20%26%20more');
    assert.match(form.text, /<option value="another &amp; more" selected=""/);
    await dashboard.service.work.pauseQueue(user.teamId, queueId);
    const paused = (await visitor.get(`/queues/${queueId}`)).text;
    assert.doesNotMatch(paused, /href="\/jobs\/new\?queue=mail"/);
  });
});
