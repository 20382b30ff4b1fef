import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postJson } from '#testing/client';
import { PASSWORD, type TestUser } from '#testing/dashboard';
import { usePages } from '#testing/pages';

/** §5.11: admins create and revoke tokens that belong to the team alone. */

const { dashboard, visit } = usePages({}, { sends: false });
const PAGE = '/settings/service-accounts';
const JOB = { queue: 'mail', url: 'http://127.0.0.1:9/', payload: { a: 1 }, delay: 3600 };

const send = (token: string) => postJson(`${dashboard.url}/api/jobs`, token, JOB);
const statusOf = async (token: string) => (await send(token)).status;

let teams = 0;

async function makeTeam() {
  const team = `Accounts ${++teams}`;
  const place = (name: string) => `${name}${teams}@accounts.test`;
  return {
    owner: await dashboard.user(place('owner'), { team }),
    admin: await dashboard.user(place('admin'), { team, role: 'admin' }),
    member: await dashboard.user(place('member'), { team, role: 'member' }),
  };
}

/** By a form. */
async function create(user: TestUser, name: string, password = PASSWORD) {
  const visitor = await dashboard.signIn(user);
  const answer = await visitor.post(PAGE, { intent: 'create', name, password });
  return { ...answer, token: /belfry_service_[\w-]{43}/.exec(answer.text)?.[0] ?? '' };
}

const listOf = (teamId: string) => dashboard.service.people.operator.listServiceAccounts(teamId);

test('an admin creates a service account, sees its token once and revokes it', async () => {
  const { admin } = await makeTeam();
  const page = await visit(PAGE, admin);
  assert.equal(page.heading, 'Service accounts');
  page.shows('No service account yet');
  await page.press('Create service account', { Name: 'billing-service', Password: PASSWORD });
  const token = page.part('[aria-label="API token"]').text;
  assert.match(token, /^belfry_service_[\w-]{43}$/);
  await page.go(PAGE);
  assert.ok(!page.html.includes(token), 'shown once');
  const row = page.row('billing-service');
  row.shows('Not yet', token.slice(-4), /admin\d+@accounts\.test/);
  assert.equal(await statusOf(token), 201);
  const headers = { Authorization: `Bearer ${token}` };
  const visited = await fetch(`${dashboard.url}/crons`, { headers, redirect: 'manual' });
  assert.match(visited.headers.get('location') ?? '', /^\/login/, 'it opens no page');
  const question = await row.press('Revoke');
  assert.match(question, /Revoke billing-service\?.*stops working at once/);
  page.shows('The service account is revoked.');
  assert.equal(await statusOf(token), 401);
  page.shows('No service account yet');
});

test('a service account keeps working after its maker left the team and was deleted', async () => {
  const { owner, admin } = await makeTeam();
  const { token } = await create(admin, 'billing');
  const boss = await dashboard.signIn(owner);
  await boss.post('/settings/members', { intent: 'remove', id: admin.userId });
  assert.deepEqual([await statusOf(token), await statusOf(admin.apiToken)], [201, 500]);
  const leaver = await dashboard.signIn(admin);
  await leaver.post('/teams/new', { name: 'Alone' });
  await leaver.post('/settings/profile', { intent: 'delete', password: PASSWORD });
  assert.deepEqual([await statusOf(token), await statusOf(admin.apiToken)], [201, 401]);
  const { text } = await boss.get(PAGE);
  assert.ok(text.includes(admin.email), 'the maker is still named');
});

test('another admin than the maker revokes a service account, but no other team does', async () => {
  const { owner, admin, member } = await makeTeam();
  const { token } = await create(owner, 'billing');
  const [account] = await listOf(owner.teamId);
  const stranger = await dashboard.signIn((await makeTeam()).owner);
  for (const id of [account?.id ?? '', 'x', ''])
    assert.equal((await stranger.post(PAGE, { intent: 'revoke', id })).status, 302);
  assert.equal(await statusOf(token), 201);
  const visitor = await dashboard.signIn(admin);
  const answer = await visitor.post(PAGE, { intent: 'revoke', id: account?.id ?? '' });
  assert.equal(answer.status, 302);
  assert.equal(await statusOf(token), 401);
  const again = await visitor.post(PAGE, { intent: 'revoke', id: account?.id ?? '' });
  assert.equal(again.status, 302);
  assert.match((await visitor.get(PAGE)).text, /no longer here/);
  const activityOf = async (user: TestUser) => (await visit('/settings/activity', user)).text;
  const words = /Revoked the service account.*Created the service account/;
  assert.match(await activityOf(owner), words);
  assert.doesNotMatch(await activityOf(member), /service account/);
});

test('creating a service account needs the password, a free name and a name that fits', async () => {
  const { admin } = await makeTeam();
  const wrong = await create(admin, 'billing', 'not it at all');
  assert.deepEqual([wrong.status, wrong.token], [422, '']);
  assert.match(wrong.text, /This is not your password/);
  const empty = await create(admin, '   ');
  assert.match(empty.text, /Enter a name/);
  const long = await create(admin, 'x'.repeat(101));
  assert.match(long.text, /Use at most 100 characters/);
  assert.deepEqual(await listOf(admin.teamId), []);
  await create(admin, ' billing  service ');
  const taken = await create(admin, 'billing service');
  assert.equal(taken.status, 422);
  assert.match(taken.text, /has a service account with this name/);
  assert.equal((await listOf(admin.teamId)).length, 1);
});
