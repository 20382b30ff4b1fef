import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestUser } from '#testing/dashboard';
import { press, untilReadAgain, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** Ways into the form of a job other than typing, and trying what it says (§2.2, §3.2). */

const { dashboard, open, sentTo, target, visit } = usePages({
  PLANS: 'free=1000,none=0',
});

async function begin(): Promise<TestUser> {
  const user = await dashboard.newTeam();
  await dashboard.service.work.setQueue(user.teamId, 'mail', {
    retrySchedule: [1],
    assertions: [{ kind: 'body_contains', text: 'fine' }],
  });
  return user;
}

const jobsOf = (user: TestUser) => dashboard.service.work.listJobs(user.teamId, { limit: 10 });
const usageOf = async ({ teamId }: TestUser) =>
  (await dashboard.service.people.billing.readUsage(teamId)).used;

describe('the form of a job', () => {
  test("a test run of a job uses its queue's rules and makes no job or retry", async () => {
    const user = await begin();
    const path = `/tried`;
    target.answer(path, { body: 'not so well' });
    const page = await visit('/jobs/new', user);
    page.fill('URL', `${target.url}${path}`);
    await page.press('Test run', { Payload: '{"id": 1.0}', Delay: '600' });
    const outcome = page.part('[aria-label="Test run"]');
    outcome.shows('Fails', 'not so well');
    assert.equal(page.field('Payload'), '{"id": 1.0}');
    assert.equal(sentTo(path)[0]?.body.toString(), '{"id":1.0}');
    assert.equal(await usageOf(user), 1);
    await dashboard.service.people.operator.setPlan(user.teamId, 'none');
    await page.press('Test run');
    outcome.shows('Monthly limit reached');
    assert.equal(sentTo(path).length, 1, 'over the limit nothing is sent');
    assert.deepEqual(await jobsOf(user), []);
    assert.deepEqual(await dashboard.service.work.listAlerts(user.teamId, { limit: 10 }), []);
  });

  test('a button pressed twice before the answer sends its form once', async () => {
    const path = '/pressed-twice';
    const answered = Promise.withResolvers<void>();
    target.answer(path, { after: answered.promise, body: 'fine' });
    await using watched = await open('/jobs/new', await begin());
    const { page } = watched;
    await page.getByLabel('URL', { exact: true }).fill(`${target.url}${path}`);
    await press(page, 'Test run');
    await eventually(() => sentTo(path).length === 1, { what: 'the first request' });
    await page.getByRole('progressbar', { name: 'Loading' }).waitFor();
    await press(page, 'Test run');
    answered.resolve();
    await page.getByText('Test run: success, HTTP 200').waitFor();
    await untilReadAgain(page);
    assert.equal(sentTo(path).length, 1);
    await press(page, 'Test run');
    await eventually(() => sentTo(path).length === 2, { what: 'the request of a later press' });
    watched.assertNoFaults();
  });

  test('a pasted curl command fills the form and is not run', async () => {
    const user = await begin();
    const path = `/pasted`;
    const page = await visit('/jobs/new', user);
    page.fill(
      'Command',
      `curl -X PUT -H 'X-Key: 1' --data '{"a":1.0}' ${target.url}${path} | jq .`,
    );
    await page.press('Fill the form');
    page.shows('The form is filled.');
    assert.equal(page.field('Method'), 'PUT');
    assert.equal(page.field('URL'), `${target.url}${path}`);
    assert.equal(page.field('Payload'), '{"a":1.0}');
    assert.equal(sentTo(path).length, 0);
    await page.press('Create job', { Delay: '600' });
    page.shows('The job is created.');
    const [made] = await jobsOf(user);
    const job = await dashboard.service.work.findJob(user.teamId, made?.id ?? '');
    assert.deepEqual([job?.method, job?.payload], ['PUT', '{"a":1.0}']);
    assert.ok(job?.headers.some(([name, value]) => name === 'X-Key' && value === '1'));
  });
});
