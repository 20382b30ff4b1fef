import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '#domain/signature';
import { before } from '#testing/hooks';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { assertClean, heading, openPage, press, usePages } from '#testing/pages';
import {
  A_CRON,
  A_JOB,
  aClaimant,
  aClaimedJob,
  aCron,
  aNode,
  declareDead,
} from '#testing/factories';
import { eventually } from '#testing/process';
import type { JobInput } from '#work/resources/job';

/** One run looked into: what was sent, what came back, why it failed (§2.5–2.7, §5.9). */

let user: TestUser;

const { browser, dashboard, target } = usePages();
before(async () => {
  user = await dashboard.user('ada@bells.test');
  await dashboard.service.work.setQueue(user.teamId, 'mail', { retrySchedule: [] });
});

function aJobTo(path: string, job: Partial<JobInput> = {}): JobInput {
  return {
    ...A_JOB,
    url: `${target.url}${path}`,
    ...job,
  };
}

async function run(path: string, job: Partial<JobInput> = {}): Promise<string> {
  const { jobId } = await dashboard.service.work.createJob(user.teamId, aJobTo(path, job));
  await eventually(async () => {
    const found = await dashboard.service.work.findJob(user.teamId, jobId);
    return found?.completedAt;
  });
  return jobId;
}

const open = (path: string, who = user, javaScript = true) =>
  openPage({ browser, dashboard }, path, { user: who, javaScript });

describe('the page of a job', () => {
  test('the page of a job shows a response body as text', async () => {
    target.answer('/html', {
      status: 500,
      headers: { 'Content-Type': 'text/html' },
      body: '<script>document.title = "owned"</script><h1 id="owned">Owned</h1>',
    });
    const id = await run('/html');
    await using watched = await open(`/jobs/${id}`);
    const { page } = watched;
    const body = page.getByLabel('response body', { exact: true });
    assert.match((await body.textContent()) ?? '', /<h1 id="owned">Owned<\/h1>/);
    assert.equal(await page.locator('#owned').count(), 0);
    assert.doesNotMatch(await page.title(), /owned/);
    await assertClean(watched);
  });

  test('the page of a redirected job offers its target URL and keeps the secrets', async () => {
    target.answer('/old', { status: 301, headers: { Location: '/new?x=1' } });
    const id = await run('/old', {
      headers: [['Authorization', 'Bearer s3cret-token']],
      payloadJson: '{"n":1.0}',
    });
    await using watched = await open(`/jobs/${id}`, user, false);
    const { page } = watched;
    await page.getByRole('link', { name: 'Use this URL' }).click();
    await heading(page, 'Create job again');
    assert.equal(
      await page.getByLabel('URL', { exact: true }).inputValue(),
      `${target.url}/new?x=1`,
    );
    const note = `comes from the link that you opened. The stored URL is ${target.url}/old.`;
    await page.getByText(note).waitFor();
    assert.equal((await page.content()).includes('s3cret-token'), false);
    await press(page.locator('main'), 'Create job');
    await page.getByText('The job is created.').waitFor();
    const request = await target.next(({ url }) => url === '/new?x=1');
    assert.equal(request.headers.authorization, 'Bearer s3cret-token');
    assert.equal(request.body.toString(), '{"n":1.0}');
    await assertClean(watched);
  });

  test('the page of a job shows each assertion with the value found', async () => {
    await dashboard.service.work.setQueue(user.teamId, 'judged', {
      retrySchedule: [],
      assertions: [
        { kind: 'json_path_equals', path: 'data.ok', expected: 'true' },
        { kind: 'body_contains', text: 'data' },
      ],
    });
    target.answer('/judged', { body: '{"data":{"ok":false}}' });
    const id = await run('/judged', { queue: 'judged' });
    await using watched = await open(`/jobs/${id}`, user, false);
    const { page } = watched;
    await page.getByText('JSON path equals: data.ok').waitFor();
    await page.getByText('Fails').waitFor();
    await page.getByText('Holds').waitFor();
    await assertClean(watched);
  });

  test('the page of a job loads the rest of a long body on demand', async () => {
    target.answer('/long', { body: `${'x'.repeat(5000)}the end` });
    const id = await run('/long');
    await using watched = await open(`/jobs/${id}`, user, false);
    const { page } = watched;
    assert.equal((await page.content()).includes('the end'), false);
    await page.getByRole('link', { name: 'Show the rest' }).click();
    await page.locator('main').getByText('the end').waitFor();
    watched.assertNoFaults();
  });

  test('the page of a blocked request shows that it was not sent', async () => {
    await using strict = await startDashboard({ ALLOWED_NETWORKS: '10.9.9.9/32' });
    const ada = await strict.user('ada@bells.test');
    const { work, people } = strict.service;
    await work.setQueue(ada.teamId, 'mail', { retrySchedule: [] });
    await people.operator.generateSigningSecret(ada.teamId);
    const { jobId } = await work.createJob(ada.teamId, aJobTo('/inside'));
    await eventually(async () => (await work.findJob(ada.teamId, jobId))?.completedAt);
    const look = { user: ada, javaScript: false };
    await using watched = await openPage({ browser, dashboard: strict }, `/jobs/${jobId}`, look);
    const { page } = watched;
    await page.getByText('private or reserved').first().waitFor();
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
    assert.equal(await page.getByText('Request as sent').count(), 0);
    assert.equal(await page.getByText(/X-Service-|Signed bytes/).count(), 0);
    assert.equal(target.requests.filter(({ url }) => url === '/inside').length, 0);
    watched.assertNoFaults();
  });
});

describe('a signed request (§5.6)', () => {
  let signer: TestUser;

  before(async () => {
    signer = await dashboard.user('grace@seals.test', { team: 'Seals' });
    await dashboard.service.work.setQueue(signer.teamId, 'mail', { retrySchedule: [] });
  });

  const rotate = (): Promise<string> =>
    dashboard.service.people.operator.generateSigningSecret(signer.teamId);

  async function runFor(path: string, job: Partial<JobInput> = {}): Promise<string> {
    const { work } = dashboard.service;
    const { jobId } = await work.createJob(signer.teamId, aJobTo(path, job));
    await eventually(async () => (await work.findJob(signer.teamId, jobId))?.completedAt);
    return jobId;
  }

  const shownHeaders = async (page: Page): Promise<string[][]> => {
    const rows = await page.getByRole('table', { name: 'Request headers' }).getByRole('row').all();
    return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
  };

  test('a signed request is shown with all headers and signed bytes, also after a new secret', async () => {
    const secret = await rotate();
    const headers = [
      ['X-One', '1'],
      ['x-service-TIMESTAMP', '7'],
      ['Host', 'other.test'],
    ] as const;
    const id = await runFor('/signed', { headers, payloadJson: '{"a":"é"}' });
    const { rawHeaders, body } = await target.next(({ url }) => url === '/signed');
    const arrived = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
    );
    const valueOf = (name: string) => arrived.find(([each]) => each === name)?.[1] ?? '';
    const isSignature = ([name]: string[]) => name === SIGNATURE_HEADER;
    await rotate();

    await using watched = await open(`/jobs/${id}`, signer, false);
    const { page } = watched;
    const masked = arrived.map((header) =>
      isSignature(header) ? [SIGNATURE_HEADER, '••••••••'] : header,
    );
    assert.deepEqual(await shownHeaders(page), masked);
    assert.equal((await page.content()).includes(valueOf(SIGNATURE_HEADER)), false);
    await page.getByRole('link', { name: 'Show secrets' }).click();
    await page.getByRole('link', { name: 'Hide secrets' }).waitFor();
    assert.deepEqual(await shownHeaders(page), arrived);
    assert.equal((await page.content()).includes(secret), false);

    await page.getByText('Signed bytes').click();
    const signed = (await page.getByLabel('signed bytes', { exact: true }).textContent()) ?? '';
    assert.equal(signed, `${valueOf(TIMESTAMP_HEADER)}.${body.toString()}`);
    const expected = createHmac('sha256', secret).update(signed).digest('hex');
    assert.equal(valueOf(SIGNATURE_HEADER), expected);
    await assertClean(watched);
  });

  for (const method of ['GET', 'DELETE', 'PUT'] as const) {
    test(`a signed ${method} without a payload is shown with all its headers`, async () => {
      await rotate();
      const path = `/signed-${method}`;
      const id = await runFor(path, { method });
      const { rawHeaders, body } = await target.next(({ url }) => url === path);
      const { work } = dashboard.service;
      const run = await work.readJobDetail(signer.teamId, id, { showSecrets: true });
      assert.deepEqual(
        run?.request.headers.flatMap(({ name, value }) => [name, value]),
        rawHeaders,
      );
      const timestamp = rawHeaders[rawHeaders.indexOf(TIMESTAMP_HEADER) + 1];
      assert.equal(run?.request.signedText, `${timestamp}.${body.toString()}`);
    });
  }

  test('Copy as curl leaves out the signature, which expires', async () => {
    await rotate();
    const id = await runFor('/curl', { headers: [['X-One', '1']], payloadJson: '[1]' });
    const run = await dashboard.service.work.readJobDetail(signer.teamId, id, {
      showSecrets: true,
    });
    assert.equal(
      run?.curl,
      [
        `curl --globoff --request POST '${target.url}/curl'`,
        "--header 'Content-Type: application/json'",
        "--header 'User-Agent: node'",
        "--header 'X-One: 1'",
        "--data-raw '[1]'",
      ].join(' \\\n  '),
    );
  });

  test('a request sent before the secret existed is not shown as signed', async () => {
    const { store } = dashboard.service;
    await store.teams.removeSigningSecret(signer.teamId);
    const id = await runFor('/unsigned', { headers: [['X-Service-Timestamp', '7']] });
    await rotate();
    await using watched = await open(`/jobs/${id}`, signer, false);
    const { page } = watched;
    const shown = await shownHeaders(page);
    assert.deepEqual(
      shown.filter(([name]) => name?.startsWith('X-Service-')),
      [['X-Service-Timestamp', '7']],
    );
    assert.equal(await page.getByText('Signed bytes').count(), 0);
    watched.assertNoFaults();
  });

  test("an execution shows its signed bytes until the cron's payload is edited", async () => {
    const { work } = dashboard.service;
    await rotate();
    const input = {
      ...A_CRON,
      name: 'Sealed',
      url: `${target.url}/cron`,
      payload: '{"n":1}',
      timeoutSeconds: 5,
    } as const;
    const cron = await work.createCron(signer.teamId, input);
    const run = (await work.runCronNow(signer.teamId, cron.id)) ?? assert.fail('no such cron');
    await eventually(
      async () => (await work.listExecutions(signer.teamId, cron.id, 1))[0]?.completedAt,
    );
    const { headers, body } = await target.next(({ url }) => url === '/cron');
    const look = () => open(`/executions/${run.id}`, signer, false);
    {
      await using watched = await look();
      const { page } = watched;
      await page.getByText('Signed bytes').click();
      assert.equal(
        await page.getByLabel('signed bytes', { exact: true }).textContent(),
        `${String(headers['x-service-timestamp'])}.${body.toString()}`,
      );
      assert.equal(await page.getByText('edited after this run').count(), 0);
      watched.assertNoFaults();
    }
    await work.editCron(signer.teamId, cron.id, { ...input, payload: '{"n":2}' });
    await using watched = await look();
    const { page } = watched;
    await page.getByText('payload was edited after this run').waitFor();
    assert.equal(await page.getByText('Signed bytes').count(), 0);
    watched.assertNoFaults();
  });
});

describe('a run whose worker failed (§3.2, §3.6)', () => {
  let quiet: TestDashboard;
  let ada: TestUser;

  before(async () => {
    quiet = await startDashboard({}, { sends: false });
    ada = await quiet.user('ada@bells.test');
  });
  after(() => quiet[Symbol.asyncDispose]());

  /** The node that claimed everything is declared dead by another one. */
  const endNode = () => declareDead(quiet.service.store);

  test('a job whose worker failed has no known outcome and no callback, and can be retried, without scripts', async () => {
    const { store, work } = quiet.service;
    const callbackUrl = `${target.url}/callback`;
    const node = await aNode(store);
    const queue = 'cut';
    const { id } = await aClaimedJob(store, ada.teamId, node, { queue, callbackUrl });
    await endNode();
    const failed = await work.findJob(ada.teamId, id);
    assert.equal(failed?.status, 'dead_lettered');
    const look = { user: ada, javaScript: false };
    await using watched = await openPage({ browser, dashboard: quiet }, `/jobs/${id}`, look);
    const { page } = watched;
    await page.getByText('The service stopped while the request was running').waitFor();
    await page.getByText('It is unknown whether the target received the request').waitFor();
    await page.getByText('Check the target. Retry if doing it twice does no harm.').waitFor();
    await page.getByText('Not sent for this run').waitFor();
    await assertClean(watched);
    await press(page.locator('main'), 'Retry');
    await page.getByText('A new job was created.').waitFor();
    const jobs = (await work.listJobs(ada.teamId, { limit: 10 })).filter(
      (job) => job.queue === queue,
    );
    assert.deepEqual(
      jobs.map(({ status, attemptNumber }) => `${status} ${attemptNumber}`).toSorted(),
      ['dead_lettered 1', 'pending 1'],
    );
    const stays = await work.findJob(ada.teamId, id);
    assert.deepEqual({ ...stays, retriedAs: null }, failed);
    watched.assertNoFaults();
  });

  test('an execution whose worker failed shows the reason and is not repeated, without scripts', async () => {
    const { store, work } = quiet.service;
    const now = store.clock.now();
    const node = await aNode(store);
    const cron = await aCron(store, ada.teamId, { name: 'Cut', nextRunAt: now });
    const asked = [{ id: ada.teamId, slots: 5 }];
    const { claimed } = await store.runs.claimExecutions(asked, aClaimant(store, node));
    assert.equal(claimed.length, 1);
    await endNode();
    const look = { user: ada, javaScript: false };
    const address = `/executions/${claimed[0]?.id}`;
    await using watched = await openPage({ browser, dashboard: quiet }, address, look);
    const { page } = watched;
    await page.locator('main').getByText('Failed').first().waitFor();
    await page.getByText('The service stopped while the request was running').waitFor();
    await assertClean(watched);
    assert.equal((await work.listExecutions(ada.teamId, cron.id, 10)).length, 1);
  });
});
