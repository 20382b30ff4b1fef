import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A_JOB } from '#testing/factories';
import { usePages } from '#testing/pages';

/** Who is affected: a field of payloads in lists of jobs, chosen per team. */

const { dashboard, begin, visit } = usePages({}, { sends: false });

test('a team chooses a field of payloads for its lists', async () => {
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
  const page = await visit('/settings/team', user);
  const save = (field: string) => page.press('Save field', { 'Field in lists of jobs': field });
  await save('order..customer');
  page.shows('The field must be a path, such as $.customer.');
  assert.equal(page.field('Field in lists of jobs'), 'order..customer');
  await save('$.order.customer');
  page.shows('The settings are saved.');
  await page.go('/jobs?tab=pending');
  page.part('th', 'order.customer');
  page.row('/text').shows('Acme <Ltd>');
  page.row('/digits').shows('12345678901234567890');
  for (const path of ['/without', '/large', '/none']) page.row(path).lacks('Big');
  const [activity] = await work.listActivity(user.teamId, { withAccess: false, limit: 1 });
  assert.equal(activity?.action, 'team.edited');
  await page.go('/settings/team');
  await save('');
  await page.go('/jobs?tab=pending');
  page.lacks('order.customer');
});
