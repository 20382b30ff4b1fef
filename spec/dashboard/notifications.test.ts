import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useStarted } from '#testing/hooks';
import { startDashboard, type TestUser } from '#testing/dashboard';
import { PlainPage } from '#testing/plain-page';
import { startReceiver } from '#testing/receiver';
import { startSmtpServer } from '#testing/smtp';

/** Where alerts go (§6.5): chosen, tested and watched by the admins of a team, and by nobody else (§5.8). */

const chat = useStarted(startReceiver);
const smtp = useStarted(startSmtpServer);
const dashboard = useStarted(() => startDashboard({ SMTP_URL: smtp.url }, { sends: false }));
let teams = 0;

/** An admin who is not the owner, and a member. */
async function begin(): Promise<{ admin: TestUser; member: TestUser }> {
  const team = `Notified team ${++teams}`;
  await dashboard.user(`owner${teams}@bells.test`, { team });
  return {
    admin: await dashboard.user(`admin${teams}@bells.test`, { team, role: 'admin' }),
    member: await dashboard.user(`member${teams}@bells.test`, { team, role: 'member' }),
  };
}

const LIST = '/settings/notifications';
/** Of the team's default channel. */
const PAGE = `${LIST}/default`;
const visit = async (user: TestUser, path = PAGE) =>
  PlainPage.open(await dashboard.signIn(user), path);

const configOf = ({ teamId }: TestUser) =>
  dashboard.service.work.findChannelConfig(teamId, 'default');

test('a chat channel can be tested before it is saved, and its address is not shown again', async () => {
  const { admin } = await begin();
  const [wrong, right] = [`/wrong/${teams}`, `/hooks/${teams}/s3cret-part-of-it`];
  chat.answer(wrong, { status: 404 });
  const page = await visit(admin);
  assert.equal(page.heading, 'Notifications');
  page.shows('all 3 members');
  page.fill('Channel', 'Slack');
  await page.press('Send test');
  page.shows('incoming webhook is required');

  page.fill('Incoming webhook', `${chat.url}${wrong}`);
  await page.press('Send test');
  page.shows('The test could not be sent.', 'HTTP 404 error.');
  assert.deepEqual(await configOf(admin), { kind: 'email' }, 'nothing is saved by a test');

  page.fill('Incoming webhook', `${chat.url}${right}`);
  await page.press('Send test');
  page.shows('The test is sent.');
  const post = await chat.next(({ url }) => url === right);
  assert.match((JSON.parse(post.body.toString()) as { text: string }).text, /^Test: alerts of/);
  assert.deepEqual(await configOf(admin), { kind: 'email' });
  assert.equal(page.field('Incoming webhook'), `${chat.url}${right}`);
  await page.press('Save');
  page.shows('Alerts go to Slack from now on.');
  const saved = { kind: 'slack', url: `${chat.url}${right}` };
  assert.deepEqual(await configOf(admin), saved);

  await page.go(PAGE);
  assert.equal(page.field('Incoming webhook'), '');
  page.shows(`${chat.url}/…f-it`);
  assert.doesNotMatch(page.html, /s3cret/);
  await page.press('Save');
  page.shows('Alerts go to Slack from now on.');
  assert.deepEqual(await configOf(admin), saved, 'a blank address keeps the present one');
});

test('the test of an email channel reaches every member', async () => {
  const { admin } = await begin();
  const page = await visit(admin);
  const before = smtp.mails.length;
  await page.press('Send test');
  page.shows('It went to all 3 members.');
  const people = smtp.mails.slice(before).flatMap(({ to }) => to);
  const expected = ['owner', 'admin', 'member'].map((name) => `${name}${teams}@bells.test`);
  assert.deepEqual(new Set(people), new Set(expected));
  smtp.judgeRecipients(() => ({ code: 550, text: 'no such user' }));
  await page.press('Send test');
  page.shows('The test could not be sent.', 'the mail server said “550 no such user”.');
  smtp.judgeRecipients(() => null);
  await page.go('/alerts');
  page.shows('Alerts are also emailed to every member.');
});

test('a channel is added, used by a cron, changed, and deleted with a list of its users', async () => {
  const { admin, member } = await begin();
  const { work } = dashboard.service;
  const page = await visit(admin, LIST);
  await page.follow('Add channel');
  assert.equal(page.heading, 'Notifications');
  page.fill('Name', 'On call');
  page.fill('Channel', 'Slack');
  page.fill('Incoming webhook', `${chat.url}/on-call/s3cret-part-of-it`);
  await page.press('Save');
  page.shows('The channel “On call” is added.', `${chat.url}/…f-it`);
  assert.doesNotMatch(page.html, /s3cret/);
  const [, added] = await work.listChannels(admin.teamId);
  assert.ok(added);

  const visitor = await dashboard.signIn(member);
  const cron = { name: 'Nightly', url: `${chat.url}/x`, cron_expression: '@daily' };
  const form = { ...cron, method: 'GET', timeout_seconds: '30', channels_shown: '1' };
  const noted = { alert_note: 'Ask <b>Ada</b>', runbook_url: 'https://wiki.example/nightly' };
  const chosen = { failure_channels: added.id, recovery_channels: 'default', ...noted };
  const odd = { ...form, ...chosen, runbook_url: 'javascript:alert(1)' };
  const refused = await visitor.post('/crons/new', odd);
  assert.ok(refused.text.includes('The runbook must be a valid URL.'));
  assert.equal((await visitor.post('/crons/new', { ...form, ...chosen })).status, 302);
  const [made] = await work.listCrons(admin.teamId);
  assert.deepEqual(made?.alertSettings.channels, {
    warning: [],
    failure: [added.id],
    recovery: ['default'],
  });
  const edit = (await visitor.get(`/crons/${made.id}/edit`)).text;
  assert.match(edit, /On call: Failure"[^>]*checked|checked[^>]*On call: Failure"/);
  assert.ok(!edit.includes('s3cret'));
  const shown = (await visitor.get(`/crons/${made.id}`)).text;
  assert.ok(shown.includes('Warning: nobody · Failure: On call · Recovery: Default channel'));
  assert.ok(shown.includes('Ask &lt;b&gt;Ada&lt;/b&gt;') && shown.includes(noted.runbook_url));

  await page.go(page.path);
  assert.match(await page.press('Delete'), /1 cron uses it\. .*go.* to the default channel/);
  page.shows('The channel is deleted.');
  const after = (await visitor.get(`/crons/${made.id}`)).text;
  assert.ok(after.includes('Warning: nobody · Failure: Default channel'));
  await page.go(`${LIST}/${added.id}`);
  assert.equal(page.status, 404);
});

test('a form of a channel shows its errors, and no page shows the secrets of a channel', async () => {
  const { admin } = await begin();
  const visitor = await dashboard.signIn(admin);
  const post = (form: Record<string, string>) =>
    visitor.post(`${LIST}/new`, { intent: 'save', name: form['kind'] ?? '', ...form });
  const wrong = await post({ kind: 'webhook', collect_minutes: '61' });
  assert.equal(wrong.status, 422);
  assert.ok(wrong.text.includes('The webhook address is required.'));
  assert.ok(wrong.text.includes('Notifications are collected for 1 to 60 minutes.'));
  const right: Record<string, string>[] = [
    { kind: 'telegram', telegram_token: '110:s3cret-of-telegram', telegram_chat_id: '-1001' },
    { kind: 'ntfy', ntfy_url: `${chat.url}/s3cret-topic`, ntfy_token: 'tk_s3cret' },
    { kind: 'pagerduty', pagerduty_routing_key: 's3cret_key_of_pagerduty' },
    { kind: 'webhook', webhook_url: `${chat.url}/s3cret-hook-of-ours` },
    { kind: 'mattermost', mattermost_url: `${chat.url}/s3cret-mattermost` },
  ];
  for (const form of right) assert.equal((await post(form)).status, 302, JSON.stringify(form));
  const named = (await dashboard.service.work.listChannels(admin.teamId)).slice(1);
  assert.equal(named.length, 5);
  for (const path of [LIST, ...named.map(({ id }) => `${LIST}/${id}`)])
    assert.doesNotMatch((await visitor.get(path)).text, /s3cret/);
  assert.ok((await visitor.get(LIST)).text.includes('-1001'), 'the id of the chat is no secret');
  const ntfy = named.find(({ kind }) => kind === 'ntfy') ?? assert.fail();
  const edit = { ntfy_url: '', ntfy_token: '-', collect_minutes: '5' };
  const form = { intent: 'save', name: 'ntfy', kind: 'ntfy', ...edit };
  assert.equal((await visitor.post(`${LIST}/${ntfy.id}`, form)).status, 302);
  assert.ok((await visitor.get(`${LIST}/${ntfy.id}`)).text.includes('for 5 minutes'));
  const config = await dashboard.service.work.findChannelConfig(admin.teamId, ntfy.id);
  assert.deepEqual(config, { kind: 'ntfy', url: `${chat.url}/s3cret-topic` });
});

test('without a mail server pages show that mails and links are in the log', async () => {
  await using unmailed = await startDashboard({}, { sends: false });
  const user = await unmailed.user('ada@bells.test');
  const visitor = await unmailed.signIn(user);
  for (const page of [LIST, PAGE])
    assert.ok((await visitor.get(page)).text.includes('No mail server is set up.'));
  const tested = (await visitor.post(PAGE, { intent: 'test', kind: 'email' })).text;
  assert.ok(tested.includes('The test is in the log of the service.'));
  assert.ok(!tested.includes('The test is sent.'), 'nobody got a mail');
  assert.ok((await visitor.get('/alerts')).text.includes('No mail server is set up'));
  const { work } = unmailed.service;
  await work.setChannel(user.teamId, { kind: 'email-addresses', addresses: ['ops@ops.test'] });
  const address = (await work.readChannel(user.teamId)).addresses[0]?.id ?? '';
  assert.equal((await visitor.post(PAGE, { intent: 'resend', address })).status, 302);
  assert.match((await visitor.get(PAGE)).text, /The link is in the log of the service\./);
});

test('channel tests are limited by user and team, and recorded', async () => {
  const { admin } = await begin();
  const place = { team: `Notified team ${teams}`, role: 'admin' } as const;
  const second = await dashboard.user(`second${teams}@bells.test`, place);
  const third = await dashboard.user(`third${teams}@bells.test`, place);
  const path = `/many-tests/${teams}`;
  chat.answer(path, { status: 200 });
  const form = { intent: 'test', kind: 'webhook', webhook_url: `${chat.url}${path}` };
  const testAs = async (user: TestUser, times: number) => {
    const visitor = await dashboard.signIn(user);
    for (let n = 0; n < times; n++) assert.equal((await visitor.post(PAGE, form)).status, 200);
    return visitor;
  };
  const refused = await (await testAs(admin, 10)).post(PAGE, form);
  assert.equal(refused.status, 429);
  assert.match(
    refused.text,
    /No test was sent\..*There were too many attempts\. Wait \d+ minutes/s,
  );
  assert.ok(refused.headers.get('retry-after'));
  await testAs(second, 10);
  const ofTeam = await (await testAs(third, 0)).post(PAGE, form);
  assert.equal(ofTeam.status, 429, 'the team has used up its tests');
  assert.equal(chat.requests.filter(({ url }) => url === path).length, 20);
  const filter = { area: 'notifications', withAccess: false, limit: 50 } as const;
  const activity = await dashboard.service.work.listActivity(admin.teamId, filter);
  const tests = activity.filter(({ action }) => action === 'channel.tested');
  assert.equal(tests.length, 20);
  assert.equal(tests[0]?.detail, `Webhook at ${chat.url}`);
});

test("a member's form must choose a channel for a queue's failures, an admin's need not (§5.8)", async () => {
  const { admin, member } = await begin();
  const [byMember, byAdmin] = [await dashboard.signIn(member), await dashboard.signIn(admin)];
  const channels = { channels_shown: '1', warning_channels: 'default' };
  const form = { timeout_seconds: '30', retry_schedule: '1m', dead_letter_days: '14', ...channels };
  const refused = await byMember.post('/queues/new', { ...form, queue: 'mail' });
  assert.equal(refused.status, 422);
  const sentence = 'Choose a channel for failures. Only an admin can choose none.';
  assert.ok(refused.text.includes(sentence));
  const { id } = await dashboard.service.work.setQueue(admin.teamId, 'mail', {});
  const edit = `/queues/${id}/edit`;
  const hint = 'Only an admin can choose no channel for failures.';
  assert.ok((await byMember.get(edit)).text.includes(hint));
  assert.ok(!(await byAdmin.get(edit)).text.includes(hint));
  assert.equal((await byMember.post(edit, form)).status, 422);
  assert.equal((await byAdmin.post(edit, form)).status, 302);
  const silenced = await dashboard.service.work.findQueue(admin.teamId, id);
  assert.deepEqual(silenced?.alertSettings.channels.failure, []);
});
