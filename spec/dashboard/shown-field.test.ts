import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A_JOB } from '#testing/factories';
import { assertClean, press, rowOf, usePages } from '#testing/pages';
import { assertSpends } from '#testing/spent-time';

/** Who is affected: a field of payloads in lists of jobs, chosen per team. */

const { dashboard, begin, open } = usePages({}, { sends: false });

for (const javaScript of [true, false]) {
  test(`a team chooses a field of payloads for its lists, ${javaScript ? 'with' : 'without'} scripts`, async () => {
    const user = await begin();
    const { work } = dashboard.service;
    const create = (path: string, payloadJson: string | null) =>
      work.createJob(user.teamId, {
        ...A_JOB,
        url: `http://127.0.0.1/${path}`,
        payloadJson,
        delaySeconds: 3600,
      });
    await create('text', '{"order":{"customer":"Acme <Ltd>"}}');
    await create('digits', '{"order":{"customer":12345678901234567890}}');
    await create('without', '{"order":[]}');
    await create('large', JSON.stringify({ order: { customer: 'Big' }, rest: 'x'.repeat(20_000) }));
    await create('none', null);
    await using watched = await open('/settings/team', user, javaScript);
    const { page } = watched;
    const field = page.getByLabel('Field in lists of jobs');
    await field.fill('order..customer');
    await press(page, 'Save field');
    await page.getByText('The field must be a path, such as $.customer.').first().waitFor();
    assert.equal(await field.inputValue(), 'order..customer');
    await field.fill('$.order.customer');
    await press(page, 'Save field');
    await page.getByText('The settings are saved.').waitFor();
    await page.goto(`${dashboard.url}/jobs?tab=pending`);
    await page.getByRole('columnheader', { name: 'order.customer' }).waitFor({ state: 'attached' });
    await rowOf(page, '/text').getByText('Acme <Ltd>', { exact: true }).waitFor();
    await rowOf(page, '/digits').getByText('12345678901234567890', { exact: true }).waitFor();
    for (const path of ['/without', '/large', '/none'])
      assert.equal(await rowOf(page, path).getByText('Big').count(), 0, path);
    const [activity] = await work.listActivity(user.teamId, { withAccess: false, limit: 1 });
    assert.equal(activity?.action, 'team.edited');
    await assertClean(watched);
    await page.goto(`${dashboard.url}/settings/team`);
    await field.fill('');
    await press(page, 'Save field');
    await page.goto(`${dashboard.url}/jobs?tab=pending`);
    assert.equal(await page.getByText('order.customer').count(), 0);
  });
}

test('a viewer sees the chosen field but can not change it', async () => {
  const owner = await dashboard.user('boss@bells.test', { team: 'Watched' });
  const { work } = dashboard.service;
  const settings = { shownField: 'customer', maskedFields: [] };
  await work.editTeamSettings(owner.teamId, settings);
  const viewer = await dashboard.user('viewer@bells.test', { team: 'Watched', role: 'viewer' });
  const visitor = await dashboard.signIn(viewer);
  const { text } = await visitor.get('/settings/team');
  assert.match(text, />customer</);
  const answer = await visitor.post('/settings/team', {
    intent: 'settings',
    shown_field: 'secret',
  });
  assert.equal(answer.status, 403);
  assert.deepEqual(await work.readTeamSettings(owner.teamId), settings);
});

test('a page of the largest payloads that are read costs less than 50 ms of processor time', async () => {
  const { work } = dashboard.service;
  const { teamId } = await begin();
  await work.editTeamSettings(teamId, { shownField: 'customer', maskedFields: [] });
  const payloadJson = JSON.stringify({ rest: Array(1_600).fill('1234567'), customer: 'Acme' });
  assert.ok(payloadJson.length > 15_000 && payloadJson.length < 16_384);
  const jobs = await Promise.all(
    Array.from({ length: 50 }, () =>
      work.createJob(teamId, {
        ...A_JOB,
        url: 'http://127.0.0.1/',
        payloadJson,
        delaySeconds: 3600,
      }),
    ),
  );
  const ids = jobs.map(({ jobId: id }) => ({ id }));
  await assertSpends(50, async () => {
    const shown = await work.readShownField(teamId, ids);
    assert.equal(Object.keys(shown?.values ?? {}).length, 50);
  });
});
