import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestUser } from '#testing/dashboard';
import { assertClean, heading, openPage, press, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** Ways into the form of a job other than typing, and trying what it says (§2.2, §3.2). */

const { browser, dashboard, target } = usePages({ PLANS: 'free=1000,none=0' });

async function begin(): Promise<TestUser> {
  const user = await dashboard.newTeam();
  await dashboard.service.work.setQueue(user.teamId, 'mail', {
    retrySchedule: [1],
    assertions: [{ kind: 'body_contains', text: 'fine' }],
  });
  return user;
}

const jobsOf = (user: TestUser) => dashboard.service.work.listJobs(user.teamId, { limit: 10 });
const sentTo = (path: string) => target.requests.filter(({ url }) => url === path);
const usageOf = async ({ teamId }: TestUser) =>
  (await dashboard.service.people.billing.readUsage(teamId)).used;

for (const javaScript of [true, false]) {
  describe(`the form of a job, ${javaScript ? 'with' : 'without'} scripts`, () => {
    const suffix = javaScript ? 'js' : 'plain';
    const open = (path: string, user: TestUser) =>
      openPage({ browser, dashboard }, path, { user, javaScript });

    test("a test run of a job uses its queue's rules and makes no job or retry", async () => {
      const user = await begin();
      const path = `/tried-${suffix}`;
      target.answer(path, { body: 'not so well' });
      await using watched = await open('/jobs/new', user);
      const { page } = watched;
      await page.getByLabel('URL', { exact: true }).fill(`${target.url}${path}`);
      await page.getByLabel('Payload').fill('{"id": 1.0}');
      await page.getByLabel('Delay').fill('600');
      await press(page.locator('main'), 'Test run');
      const outcome = page.getByRole('region', { name: 'Test run' });
      await outcome.getByText('Fails').waitFor();
      await outcome.getByText('not so well').first().waitFor();
      assert.equal(await page.getByLabel('Payload').inputValue(), '{"id": 1.0}');
      assert.equal(sentTo(path)[0]?.body.toString(), '{"id":1.0}');
      assert.equal(await usageOf(user), 1);
      await dashboard.service.people.operator.setPlan(user.teamId, 'none');
      await press(page.locator('main'), 'Test run');
      await outcome.getByText('Monthly limit reached').waitFor();
      assert.equal(sentTo(path).length, 1, 'over the limit nothing is sent');
      assert.deepEqual(await jobsOf(user), []);
      assert.deepEqual(await dashboard.service.work.listAlerts(user.teamId, { limit: 10 }), []);
      await assertClean(watched);
    });

    test('a pasted curl command fills the form and is not run', async () => {
      const user = await begin();
      const path = `/pasted-${suffix}`;
      await using watched = await open('/jobs/new', user);
      const { page } = watched;
      await page.getByText('Import from curl or crontab').click();
      await page
        .getByLabel('Command')
        .fill(`curl -X PUT -H 'X-Key: 1' --data '{"a":1.0}' ${target.url}${path} | jq .`);
      await press(page.locator('main'), 'Fill the form');
      await page.getByText('The form is filled.').waitFor();
      assert.equal(await page.getByLabel('Method').inputValue(), 'PUT');
      assert.equal(
        await page.getByLabel('URL', { exact: true }).inputValue(),
        `${target.url}${path}`,
      );
      assert.equal(await page.getByLabel('Payload').inputValue(), '{"a":1.0}');
      assert.equal(sentTo(path).length, 0);
      await page.getByLabel('Delay').fill('600');
      await press(page.locator('main'), 'Create job');
      await page.getByText('The job is created.').waitFor();
      const [made] = await jobsOf(user);
      const job = await dashboard.service.work.findJob(user.teamId, made?.id ?? '');
      assert.deepEqual([job?.method, job?.payload], ['PUT', '{"a":1.0}']);
      assert.ok(job?.headers.some(([name, value]) => name === 'X-Key' && value === '1'));
      await assertClean(watched);
    });

    if (!javaScript) {
      test('a job can be created again with edits, the first stays unchanged', async () => {
        const user = await begin();
        const { work } = dashboard.service;
        const { jobId } = await work.createJob(user.teamId, {
          queue: 'mail',
          url: `${target.url}/first-${suffix}`,
          method: 'POST',
          headers: [['Authorization', 'Bearer s3cret-token']],
          payloadJson: '{"order":7}',
          callbackUrl: null,
          delaySeconds: 3600,
        });
        const first = await work.findJob(user.teamId, jobId);
        await using watched = await open(`/jobs/${jobId}`, user);
        const { page } = watched;
        await page.getByRole('link', { name: 'Edit and resend' }).click();
        await heading(page, 'Create job again');
        assert.equal((await page.content()).includes('s3cret-token'), false);
        await page.getByLabel('URL', { exact: true }).fill(`${target.url}/again-${suffix}`);
        await press(page.locator('main'), 'Create job');
        await page.getByText('The job is created.').waitFor();
        await eventually(() => sentTo(`/again-${suffix}`).length === 1);
        const [request] = sentTo(`/again-${suffix}`);
        assert.equal(request?.headers.authorization, 'Bearer s3cret-token');
        assert.equal(request.body.toString(), '{"order":7}');
        assert.deepEqual(await work.findJob(user.teamId, jobId), first);
        assert.equal(sentTo(`/first-${suffix}`).length, 0);
        await assertClean(watched);
      });
    }
  });
}

test('Copy as curl and as API call copy the request without its secrets', async () => {
  const user = await begin();
  const { jobId } = await dashboard.service.work.createJob(user.teamId, {
    queue: 'mail',
    url: `${target.url}/copied`,
    method: 'POST',
    headers: [['Authorization', 'Bearer s3cret-token']],
    payloadJson: '{"order":7}',
    callbackUrl: null,
    delaySeconds: 3600,
  });
  await using watched = await openPage({ browser, dashboard }, `/jobs/${jobId}`, { user });
  const { page } = watched;
  await watched.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async (word: string) => {
    await press(page.locator('main'), word);
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('button', { name: word, exact: true }).waitFor();
    return text;
  };
  const curl = await copied('Copy as curl');
  assert.match(curl, /^curl /);
  assert.ok(curl.includes(`${target.url}/copied`) && curl.includes('{"order":7}'), curl);
  const call = await copied('Copy as API call');
  assert.ok(call.includes('/api/jobs') && call.includes('"queue"'), call);
  for (const text of [curl, call]) assert.equal(text.includes('s3cret-token'), false);
  await assertClean(watched);
});
