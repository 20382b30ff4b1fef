import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startBrowser, type TestBrowser } from '#testing/browser';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { assertClean, heading, openPage, press } from '#testing/pages';
import { eventually } from '#testing/process';
import { startReceiver, type Receiver } from '#testing/receiver';

/** One run looked into: what was sent, what came back, why it failed (§2.5–2.7, D39), and who may look. */

let browser: TestBrowser;
let dashboard: TestDashboard;
let target: Receiver;
let user: TestUser;
let stranger: TestUser;

before(async () => {
  [browser, dashboard, target] = await Promise.all([
    startBrowser(),
    startDashboard(),
    startReceiver(),
  ]);
  user = await dashboard.user('ada@bells.test');
  stranger = await dashboard.user('eve@whistles.test', { team: 'Whistles' });
  await dashboard.service.work.setQueue(user.teamId, 'mail', { retrySchedule: [] });
});
after(async () => {
  await browser.close();
  await dashboard[Symbol.asyncDispose]();
  await target.close();
});

async function run(
  path: string,
  job: { headers?: [string, string][]; payloadJson?: string; queue?: string } = {},
): Promise<string> {
  const { jobId } = await dashboard.service.work.createJob(user.teamId, {
    queue: 'mail',
    url: `${target.url}${path}`,
    method: 'POST',
    headers: [],
    payloadJson: null,
    callbackUrl: null,
    delaySeconds: 0,
    ...job,
  });
  await eventually(async () => {
    const found = await dashboard.service.work.findJob(user.teamId, jobId);
    return found?.completedAt;
  });
  return jobId;
}

const open = (path: string, who = user, javaScript = true) =>
  openPage({ browser, dashboard }, path, { user: who, javaScript });

describe('the detail of a job', () => {
  test('shows a body as text, never as a page of ours', async () => {
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

  test('masks secrets until they are asked for', async () => {
    const id = await run('/secret', { headers: [['Authorization', 'Bearer s3cret-token']] });
    await using watched = await open(`/jobs/${id}`, user, false);
    const { page } = watched;
    assert.equal((await page.content()).includes('s3cret-token'), false);
    await page.getByRole('link', { name: 'Show secrets' }).click();
    await page.locator('main').getByText('Bearer s3cret-token').first().waitFor();
    watched.assertNoFaults();
  });

  test('of a redirect offers to use its target, with the secrets of the first kept', async () => {
    target.answer('/old', { status: 301, headers: { Location: '/new?x=1' } });
    const id = await run('/old', {
      headers: [['Authorization', 'Bearer s3cret-token']],
      payloadJson: '{"n":1.0}',
    });
    await using watched = await open(`/jobs/${id}`);
    const { page } = watched;
    await page.getByRole('link', { name: 'Use this URL' }).click();
    await heading(page, 'Create job again');
    assert.equal(
      await page.getByLabel('URL', { exact: true }).inputValue(),
      `${target.url}/new?x=1`,
    );
    assert.equal((await page.content()).includes('s3cret-token'), false);
    await press(page.locator('main'), 'Create job');
    await page.getByText('The job is created.').waitFor();
    const request = await target.next(({ url }) => url === '/new?x=1');
    assert.equal(request.headers.authorization, 'Bearer s3cret-token');
    assert.equal(request.body.toString(), '{"n":1.0}');
    await assertClean(watched);
  });

  test('shows each assertion with what was found', async () => {
    await dashboard.service.work.setQueue(user.teamId, 'judged', {
      retrySchedule: [],
      assertions: [
        { kind: 'json_path_equals', path: 'data.ok', expected: 'true' },
        { kind: 'body_contains', text: 'data' },
      ],
    });
    target.answer('/judged', { body: '{"data":{"ok":false}}' });
    const id = await run('/judged', { queue: 'judged' });
    await using watched = await open(`/jobs/${id}`);
    const { page } = watched;
    await page.getByText('JSON path equals: data.ok').waitFor();
    await page.getByText('Fails').waitFor();
    await page.getByText('Holds').waitFor();
    await assertClean(watched);
  });

  test('gives the rest of a long body on demand', async () => {
    target.answer('/long', { body: `${'x'.repeat(5000)}the end` });
    const id = await run('/long');
    await using watched = await open(`/jobs/${id}`, user, false);
    const { page } = watched;
    assert.equal((await page.content()).includes('the end'), false);
    await page.getByRole('link', { name: 'Show the rest' }).click();
    await page.locator('main').getByText('the end').waitFor();
    watched.assertNoFaults();
  });

  test('does not exist for another team, nor does any action on it', async () => {
    const id = await run('/html');
    const before = await dashboard.service.work.findJob(user.teamId, id);
    const eve = await dashboard.signIn(stranger);
    for (const path of [`/jobs/${id}`, `/jobs/${id}?secrets=shown&body=whole`])
      assert.equal((await eve.get(path)).status, 404, path);
    for (const intent of ['fire', 'retry', 'delete'])
      assert.equal((await eve.post(`/jobs/${id}`, { intent, job: id })).status, 404, intent);
    for (const intent of ['fire', 'retry', 'delete'])
      await eve.post('/jobs?tab=failed', { intent, job: id, id });
    const again = await eve.get(`/jobs/new?from=${id}`);
    assert.equal(again.text.includes(target.url), false);
    assert.deepEqual(await dashboard.service.work.findJob(user.teamId, id), before);
    assert.deepEqual(await dashboard.service.work.listJobs(stranger.teamId, { limit: 10 }), []);
  });
});
