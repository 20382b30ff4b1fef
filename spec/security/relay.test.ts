import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { PASSWORD, startDashboard } from '#testing/dashboard';
import { type ReceivedMail, startSmtpServer } from '#testing/smtp';

/** An attacker tries to send their own words and links by mail through this installation. */

const VICTIM = 'victim@bank.test';
const BAIT = 'Your account is locked: https://evil.example/login or www.evil.example';

const smtp = useStarted(startSmtpServer);
const dashboard = useStarted(() =>
  startDashboard({ SMTP_URL: smtp.url, SIGN_UP: 'open', MAX_TEAMS_PER_USER: '3' }),
);
before(() => dashboard.user('owner@bells.test'));

const pathIn = (mail: ReceivedMail) => /^http:\/\/[^/]+(\/\S+)$/m.exec(mail.text)?.[1] ?? 'no link';
const mailTo = (address: string) => smtp.next((mail) => mail.to.includes(address));
const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));

describe("open sign-up with another person's email", () => {
  test('sign-up makes no account and emails one link without any text of the sender', async () => {
    const asker = dashboard.visitor();
    const form = { name: BAIT, team: BAIT, email: VICTIM, password: PASSWORD };
    const answer = await asker.post('/register', form);
    assert.equal(answer.status, 200);
    assert.ok(!asker.cookies.has('belfry.session_token'));
    const mail = await mailTo(VICTIM);
    assert.doesNotMatch(mail.raw, /evil/);
    const entered = await dashboard.visitor().post('/login', { email: VICTIM, password: PASSWORD });
    assert.equal(entered.status, 422);
    // The link's bearer, and nobody before them, says who they are and with which password.
    const victim = dashboard.visitor();
    const link = pathIn(mail);
    const person = { name: 'Vic', team: 'Bank', password: 'a password of their own' };
    assert.equal((await victim.post(link, { ...person, email: 'other@bank.test' })).status, 302);
    assert.match((await victim.get('/settings/profile')).text, new RegExp(VICTIM));
    assert.equal((await dashboard.visitor().post(link, person)).status, 422, 'the link works once');
  });

  test('sign-up with a registered email looks the same, and only its owner is notified', async () => {
    const ask = async (email: string) => {
      const { status, text } = await dashboard.visitor().post('/register', { email });
      return [status, text.includes('Look for the link')];
    };
    assert.deepEqual(await ask('owner@bells.test'), await ask('nobody@bells.test'));
    const mail = await mailTo('owner@bells.test');
    assert.match(mail.subject, /already/);
  });

  test('sign-up sends an address at most three emails for one sender, five in all', async () => {
    for (let n = 0; n < 8; n++) {
      await dashboard.visitor().post('/register', { email: 'full@bank.test' });
    }
    await dashboard.visitor().post('/register', { email: 'last@bank.test' });
    await mailTo('last@bank.test');
    assert.ok(mailsTo('full@bank.test').length <= 5);
  });
});

describe('an invitation', () => {
  test('an invitation has no text of its sender in the subject and no links made of it', async () => {
    const user = await dashboard.user('bait@evil.test', { team: 'Bait' });
    const visitor = await dashboard.signIn(user);
    await visitor.post('/settings/profile', { intent: 'name', name: BAIT });
    await visitor.post('/settings/team', { intent: 'rename', name: BAIT });
    const form = { intent: 'invite', email: 'target@bank.test', role: 'member' };
    assert.equal((await visitor.post('/settings/members', form)).status, 200);
    const { subject, text, html } = await mailTo('target@bank.test');
    assert.doesNotMatch(subject, /locked|evil/);
    assert.equal(html, '');
    // What clients make links of by themselves.
    const links = text.match(/https?:\/\/\S+|www\.\S+|\b[\w-]+\.[a-z]{2,}\S*/gi) ?? [];
    assert.ok(links.length > 0);
    for (const link of links) assert.ok(link.startsWith(`${dashboard.url}/invitations/`), link);
  });

  test('an account made by an invitation has a confirmed email only if the link was opened', async () => {
    const admin = await dashboard.signIn({ email: 'owner@bells.test' });
    const inviteAs = async (email: string) => {
      const form = { intent: 'invite', email, role: 'admin' };
      const { text } = await admin.post('/settings/members', form);
      return /\/invitations\/[\w-]+/.exec(text)?.[0] ?? '';
    };
    // By the link that the inviter sees, anybody may have come.
    const shown = await inviteAs('copied@bank.test');
    await mailTo('copied@bank.test');
    const copier = dashboard.visitor();
    const person = { name: 'Mallory', password: PASSWORD, email: 'copied@bank.test' };
    assert.equal((await copier.post(shown, person)).status, 302);
    const profile = await copier.get('/settings/profile');
    assert.match(profile.text, /Confirm your email/);
    const form = { intent: 'invite', email: 'next@bank.test', role: 'member' };
    const refused = await copier.post('/settings/members', form);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Confirm your own email first/);
    const confirm = await mailTo('copied@bank.test');
    assert.match(confirm.subject, /Confirm your email/);
    assert.equal((await dashboard.visitor().post(pathIn(confirm), {})).status, 302);
    assert.doesNotMatch((await copier.get('/settings/profile')).text, /Confirm your email/);
    // By the mailed link it was its reader.
    await inviteAs('reader@bank.test');
    const mailed = pathIn(await mailTo('reader@bank.test'));
    const reader = dashboard.visitor();
    await reader.post(mailed, { name: 'Rea', password: PASSWORD });
    assert.doesNotMatch((await reader.get('/settings/profile')).text, /Confirm your email/);
    assert.equal(mailsTo('next@bank.test').length, 0);
  });

  test('invitations are limited per sender over all teams', async () => {
    const user = await dashboard.user('many@evil.test', { team: 'Many' });
    const visitor = await dashboard.signIn(user);
    const statuses: number[] = [];
    for (let n = 0; n < 51; n++) {
      if (n === 25) {
        assert.equal((await visitor.post('/teams/new', { name: 'Another' })).status, 302);
        await visitor.get('/settings/members');
      }
      const form = { intent: 'invite', email: '', role: 'member' };
      statuses.push((await visitor.post('/settings/members', form)).status);
    }
    assert.deepEqual([statuses[49], statuses[50]], [200, 429]);
  });
});

test('alerts are emailed to confirmed addresses only', async () => {
  const owner = await dashboard.user('boss@alerts.test', { team: 'Alerts' });
  const visitor = await dashboard.signIn(owner);
  const invite = { intent: 'invite', email: '', role: 'member' };
  const link = /\/invitations\/[\w-]+/.exec(
    (await visitor.post('/settings/members', invite)).text,
  )?.[0];
  const person = { name: 'X', password: PASSWORD, email: 'foreign@bank.test' };
  assert.equal((await dashboard.visitor().post(link ?? '', person)).status, 302);
  await mailTo('foreign@bank.test');
  const outcome = await dashboard.service.notifier.sendTest(owner.teamId, { kind: 'email' });
  assert.equal(outcome.kind, 'sent');
  const mail = await smtp.next(({ to, subject }) => {
    return to.includes('boss@alerts.test') && subject.startsWith('Test');
  });
  assert.doesNotMatch(mail.subject, /Alerts\b.*Alerts/);
  assert.equal(mailsTo('foreign@bank.test').length, 1, 'the link to confirm, and nothing else');
});

test('a user can create as many teams as the operator allows', async () => {
  const user = await dashboard.user('teams@bells.test', { team: 'First' });
  const visitor = await dashboard.signIn(user);
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) {
    statuses.push((await visitor.post('/teams/new', { name: `Team ${n}` })).status);
  }
  assert.deepEqual(statuses, [302, 302, 422, 422]);
  assert.match(
    (await visitor.post('/teams/new', { name: 'More' })).text,
    /You own 3 teams already/,
  );
});
