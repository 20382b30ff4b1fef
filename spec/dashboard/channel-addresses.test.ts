import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useStarted } from '#testing/hooks';
import { startDashboard, type TestUser } from '#testing/dashboard';
import { PlainPage } from '#testing/plain-page';
import { startSmtpServer } from '#testing/smtp';

/** Email addresses of channels (§6.5): an admin adds them, and recipients without an account confirm and stop them. */

const LIST = '/settings/notifications';
const ASKS = 'Confirm that you want alerts from Belfry';

const smtp = useStarted(startSmtpServer);
const dashboard = useStarted(() => startDashboard({ SMTP_URL: smtp.url }, { sends: false }));
let count = 0;

/** An owner, and an address that nothing was mailed to before. */
async function begin(): Promise<{ owner: TestUser; email: string }> {
  const owner = await dashboard.user(`owner${++count}@bells.test`, { team: `Mailed ${count}` });
  return { owner, email: `on-call${count}@ops.test` };
}

async function pathIn(email: string, subject: string | RegExp, path: string): Promise<string> {
  const { text } = await smtp.next((mail) => {
    return mail.to.includes(email) && RegExp(subject).test(mail.subject);
  });
  return new RegExp(`/${path}/[\\w.-]+`).exec(text)?.[0] ?? assert.fail(text);
}

const linkFor = (email: string) => pathIn(email, ASKS, 'confirm-address');

/** A confirmed address of the default channel. */
async function confirmed() {
  const { owner, email } = await begin();
  const { work, people, notifier } = dashboard.service;
  const config = { kind: 'email-addresses', addresses: [email] } as const;
  await work.setChannel(owner.teamId, config);
  const token = (await linkFor(email)).split('/').at(-1) ?? '';
  assert.equal((await people.channelAddresses.confirmAddress(token)).kind, 'done');
  assert.deepEqual(await notifier.sendTest(owner.teamId, config, 'default'), { kind: 'sent' });
  const stop = await pathIn(email, 'Test', 'stop-alerts');
  const stateOf = async () => (await work.readChannel(owner.teamId)).addresses[0]?.state;
  return { owner, email, stop, stateOf };
}

test('an admin adds addresses, and a recipient without an account confirms and stops one', async () => {
  const { owner, email } = await begin();
  const late = `late${count}@ops.test`;
  const page = await PlainPage.open(await dashboard.signIn(owner), `${LIST}/new`);
  await page.press('Save', { Name: 'On call', Channel: 'Email to named addresses' });
  page.shows('Enter at least one email address.');
  await page.press('Save', { Addresses: `${email}\nno address` });
  page.shows('"no" is no valid email address.');
  await page.press('Save', { Addresses: `${email.toUpperCase()},\n${late}\n${email}` });
  page.shows('The channel “On call” is added.');
  page.shows('Email addresses · 2 addresses, 2 waiting for confirmation');
  await page.follow('On call');
  page.shows('Waiting for confirmation');

  const first = await linkFor(email);
  await linkFor(late);
  await page.part('li', email).press('Resend link');
  page.shows('A new link is mailed.');
  const second = await linkFor(email);

  const recipient = await PlainPage.open(dashboard.visitor(), first);
  assert.equal(recipient.heading, 'This link no longer works');
  await recipient.go(second);
  assert.equal(recipient.heading, 'Confirm your address');
  recipient.shows(`The team “Mailed ${count}”`);
  await recipient.press('Confirm address');
  assert.equal(recipient.heading, 'The address is confirmed');
  await page.go(page.path);
  page.shows('Confirmed');

  await page.press('Send test');
  page.shows('It went to the confirmed addresses.');
  const stop = await pathIn(email, 'Test', 'stop-alerts');
  await recipient.go(stop);
  assert.equal(recipient.heading, 'Stop these mails');
  await recipient.press('Stop the mails');
  assert.equal(recipient.heading, 'The mails are stopped');
  await page.go(page.path);
  page.shows('Stopped by the recipient');
  await page.press('Send test');
  page.shows('no address of the channel is confirmed.');
  assert.equal(smtp.mails.filter(({ to }) => to.includes(late)).length, 1, 'the link alone');

  await page.press('Save', { Addresses: late });
  await page.follow('On call');
  page.lacks(email);
  assert.equal(page.field('Addresses'), late);
});

describe('the link that stops mails', () => {
  test('a mail provider stops them by a POST without a session or origin (RFC 8058)', async () => {
    const types = [
      ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      ],
    ] as const;
    for (const [type, body] of types) {
      const { stop, stateOf } = await confirmed();
      const headers = { 'Content-Type': type };
      const post = (path: string, text: string) =>
        fetch(dashboard.url + path, { method: 'POST', headers, body: text, redirect: 'error' });
      assert.equal((await post(stop, 'a=b')).status, 403, 'not a one-click POST');
      assert.equal((await post(`${stop}x`, body)).status, 404);
      assert.equal((await post(stop.replace('stop-alerts', 'confirm-address'), body)).status, 403);
      assert.equal(await stateOf(), 'confirmed');
      const answer = await post(stop, body);
      assert.deepEqual([answer.status, await answer.text()], [200, 'The mails are stopped.\n']);
      assert.equal(await stateOf(), 'stopped');
      assert.equal((await post(stop, body)).status, 200, 'again');
    }
  });

  test('opening a link changes nothing, and a link of another address is refused', async () => {
    const [one, other] = [await confirmed(), await confirmed()];
    const visitor = dashboard.visitor();
    for (const path of [one.stop, other.stop]) {
      assert.equal((await visitor.get(path)).status, 200);
      assert.equal((await visitor.get(`${path}.data`)).status, 200);
    }
    const [head = '', , mac] = one.stop.split('.');
    const [, id] = other.stop.split('.');
    assert.equal((await visitor.post(`${head}.${id}.${mac}`, {})).status, 422);
    assert.deepEqual([await one.stateOf(), await other.stateOf()], ['confirmed', 'confirmed']);
    assert.equal((await visitor.post(one.stop, {})).status, 200);
    assert.deepEqual([await one.stateOf(), await other.stateOf()], ['stopped', 'confirmed']);
  });
});

describe('the addresses of a channel', () => {
  test('an address can add no header, recipient or markup to a mail', async () => {
    const { owner, email } = await begin();
    const visitor = await dashboard.signIn(owner);
    const form = { intent: 'save', kind: 'email-addresses' };
    const save = (text: string) =>
      visitor.post(`${LIST}/default`, { ...form, 'email-addresses_addresses': text });
    for (const text of [
      `"x\r\nBcc: victim@bank.test"@ops.test`,
      `<${email}>`,
      `ops@ops.test\0`,
      Array.from({ length: 21 }, (_, n) => `a${n}@ops.test`).join(' '),
    ])
      assert.equal((await save(text)).status, 422, text);
    assert.equal((await dashboard.service.work.readChannel(owner.teamId)).kind, 'email');
    assert.equal((await save(email)).status, 302);
    const mail = await smtp.next(({ subject, to }) => subject === ASKS && to.includes(email));
    assert.deepEqual(mail.to, [email]);
    assert.equal(mail.headers.filter(({ key }) => ['to', 'cc', 'bcc'].includes(key)).length, 1);
    assert.ok(!mail.headers.some(({ key }) => key.startsWith('list-')), 'nothing to stop yet');
  });
});
