import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSmtpServer } from '#testing/smtp';
import {
  aTeam,
  aUser,
  Browser,
  LOCAL,
  openPeople,
  PASSWORD,
  type TestPeople,
} from '#testing/people';
import type { RequestContext } from './context.ts';

const NEW_PASSWORD = 'a better password';
const keep = { revokesToken: false };
const ada = { name: 'Ada', email: 'ada@bells.test', password: PASSWORD, team: 'Bells' };

test('the first account is made once from valid input; then setup is closed', async () => {
  await using fixture = await openPeople();
  const { accounts } = fixture.people;
  const browser = new Browser();
  const create = (input: object) =>
    accounts.createFirstAccount({ ...ada, ...input }, browser.request, LOCAL);
  assert.deepEqual(await create({ name: ' ', email: 'x', password: '1234567', team: '' }), {
    kind: 'refused',
    errors: {
      name: ['Enter your name.'],
      email: ['Enter a valid email address.'],
      password: ['Use at least 8 characters.'],
      team: ['Enter a team name.'],
    },
  });
  assert.equal(await accounts.isSetUp(), false);
  browser.take(await create({}));
  assert.equal((await browser.session(fixture))?.team?.role, 'owner');
  assert.equal(await accounts.isSetUp(), true);
  assert.deepEqual(await create({ email: 'eve@bells.test' }), { kind: 'closed' });
});

test('a right setup code does not count as a guess', async () => {
  await using fixture = await openPeople({ isBehindProxy: true });
  const { accounts, operator } = fixture.people;
  const code = (await operator.setupCode()) ?? '';
  const browser = new Browser();
  for (const name of ['', '', '', '', 'Ada']) {
    const input = { ...ada, name, code };
    const answer = await accounts.createFirstAccount(input, browser.request, LOCAL);
    assert.equal(answer.kind, name === '' ? 'refused' : 'signed-in');
  }
});

test('sign-up is open only if the operator allows it, and no team gets a name shaped like an id', async () => {
  for (const signUp of ['invite', 'open'] as const) {
    await using fixture = await openPeople({ signUp });
    const { accounts, operator } = fixture.people;
    await aUser(fixture, 'ops@bells.test');
    const register = async (team: string) =>
      (await accounts.register({ ...ada, team }, new Browser().request)).kind;
    const isOpen = signUp === 'open';
    const likeAnId = await register('01A20FFD-8cab-74ad-a6b1-bc7287ae7d5c');
    assert.equal(likeAnId, isOpen ? 'refused' : 'closed');
    assert.equal(await register('Mine'), isOpen ? 'signed-in' : 'closed');
    assert.equal((await operator.listTeams()).length, isOpen ? 2 : 1);
  }
});

test('registering is limited by address', async () => {
  await using fixture = await openPeople({ signUp: 'open' });
  await aUser(fixture, 'ops@bells.test');
  const browser = new Browser();
  const kinds: string[] = [];
  for (let n = 0; n < 11; n++) {
    const person = { ...ada, email: `spam${n}@x.test` };
    kinds.push((await fixture.people.accounts.register(person, browser.request)).kind);
  }
  assert.equal(kinds[9], 'signed-in');
  assert.equal(kinds[10], 'too-many');
});

async function aSession(fixture: TestPeople, email = ada.email) {
  const browser = new Browser();
  const answer = await browser.signIn(fixture, email);
  assert.equal(answer.kind, 'signed-in');
  return browser;
}

function loggedLinks({ events }: TestPeople): string[] {
  return events
    .filter(({ event }) => event === 'mail.written-to-log')
    .map(({ fields }) => String(fields['link']));
}

test('a reset link ends after an hour, with a newer one, and as nonsense', async () => {
  await using fixture = await openPeople();
  await aUser(fixture, ada.email);
  const { accounts, operator } = fixture.people;
  const tokenOf = (link: string | null) => link?.split('/').at(-1) ?? '';
  const older = tokenOf(await operator.resetPasswordUrl(ada.email));
  const newer = tokenOf(await operator.resetPasswordUrl(ada.email));
  assert.equal(await accounts.isResetTokenValid(older), false);
  assert.equal(await accounts.isResetTokenValid(newer), true);
  await fixture.clock.advance(60 * 60_000);
  for (const token of [older, newer, '', 'x', 'A'.repeat(43)]) {
    assert.equal(await accounts.isResetTokenValid(token), false);
    const answer = await accounts.resetPassword(
      { ...keep, token, password: NEW_PASSWORD },
      new Browser().request,
    );
    assert.equal(answer.kind, 'expired');
  }
  assert.equal(await operator.resetPasswordUrl('nobody@bells.test'), null);
});

test('resets are limited per client and mailbox, and a request reveals no account', async () => {
  await using fixture = await openPeople();
  await aUser(fixture, ada.email);
  const { accounts } = fixture.people;
  const ask = async (request: RequestContext, email = ada.email) =>
    accounts.requestPasswordReset({ email }, request);
  for (const email of ['nobody@bells.test', 'no address', ''])
    assert.deepEqual(await ask(new Browser().request, email), { kind: 'done' });
  const { request } = new Browser();
  for (let n = 0; n < 3; n++) assert.equal((await ask(request)).kind, 'done');
  assert.deepEqual(await ask(request), { kind: 'too-many', retryAfterSeconds: 60 });
  for (let n = 0; n < 4; n++) assert.equal((await ask(new Browser().request)).kind, 'done');
  await fixture.people.close();
  assert.equal(loggedLinks(fixture).length, 5);
});

test('a known browser gets its reset email even if its address is at the limit', async () => {
  await using fixture = await openPeople();
  await aUser(fixture, ada.email);
  const { accounts } = fixture.people;
  const known = await aSession(fixture);
  await accounts.signOut(known.request);
  const ask = (request: RequestContext) =>
    accounts.requestPasswordReset({ email: ' ADA@bells.test' }, request);
  const unknownBrowser = () => new Browser(known.clientAddress).request;
  for (let n = 0; n < 30; n++) {
    await ask(unknownBrowser());
    // Others fill the mailbox, too.
    await ask(new Browser().request);
    await fixture.clock.advance(20_000);
  }
  assert.equal((await ask(unknownBrowser())).kind, 'done');
  await fixture.people.close();
  const before = loggedLinks(fixture).length;
  assert.ok(before <= 5, `${before} to unknown browsers`);
  for (let n = 0; n < 3; n++) assert.equal((await ask(known.request)).kind, 'done');
  assert.equal((await ask(known.request)).kind, 'too-many', 'it has its own limit');
  await fixture.people.close();
  assert.equal(loggedLinks(fixture).length - before, 3);
  const other = accounts.requestPasswordReset({ email: 'bob@bells.test' }, known.request);
  assert.equal((await other).kind, 'done', 'counted by address for every other account');
});

test('with SMTP a new email is in force once its owner opens the link, and the old address is notified', async () => {
  await using smtp = await startSmtpServer();
  await using fixture = await openPeople({ smtpUrl: smtp.url });
  await aTeam(fixture);
  const browser = await aSession(fixture, 'member@bells.test');
  const { accounts } = fixture.people;
  const change = (email: string) =>
    accounts.changeEmail({ email, password: PASSWORD }, browser.request);
  assert.deepEqual(await change('owner@bells.test'), { kind: 'mailed' });
  assert.deepEqual(await change('new@bells.test'), { kind: 'mailed' });
  const mail = await smtp.next(({ to }) => to.includes('new@bells.test'));
  const token = /confirm-email\/([\w-]+)/.exec(mail.text)?.[1] ?? '';
  assert.equal((await browser.session(fixture))?.user.email, 'member@bells.test');
  assert.deepEqual(await accounts.confirmEmail(token), { kind: 'done' });
  assert.deepEqual(await accounts.confirmEmail(token), { kind: 'expired' });
  assert.equal((await browser.session(fixture))?.user.email, 'new@bells.test');
  const warning = await smtp.next(({ subject }) => subject.includes('has a new email address'));
  assert.deepEqual(warning.to, ['member@bells.test']);
  const asked = smtp.mails.filter(({ to }) => to.includes('member@bells.test'));
  assert.equal(asked.length, 3, 'each requested change is reported, and the one that was made');
  assert.equal(smtp.mails.length, 4, 'and whoever has an account already gets no link');
});

test('a server that takes no mail is logged and breaks nothing', async () => {
  await using fixture = await openPeople({ smtpUrl: 'smtp://127.0.0.1:1' });
  await aUser(fixture, ada.email);
  const { accounts } = fixture.people;
  assert.equal(accounts.sendsMail(), true);
  const answer = await accounts.requestPasswordReset({ email: ada.email }, new Browser().request);
  assert.equal(answer.kind, 'done');
  await fixture.people.close();
  assert.ok(fixture.events.some(({ event }) => event === 'mail.not-sent'));
  assert.deepEqual(loggedLinks(fixture), []);
});

test('an account that owns a team with others in it stays; alone in it, both go', async () => {
  await using fixture = await openPeople();
  const { owner, admin, member } = await aTeam(fixture);
  const { accounts, teams, operator } = fixture.people;
  const browser = await aSession(fixture, 'owner@bells.test');
  const remove = (password = PASSWORD) => accounts.deleteAccount({ password }, browser.request);
  assert.equal((await remove('wrong')).kind, 'refused');
  assert.deepEqual(await remove(), {
    kind: 'owns-teams',
    teams: [{ id: owner.teamId, name: 'Bells', role: 'owner' }],
  });
  await teams.removeMember(owner, admin.userId);
  await teams.removeMember(owner, member.userId);
  const token = await fixture.people.tokens.generateApiToken(owner.userId);
  const copied = browser.headers;
  assert.equal(browser.take(await remove()).kind, 'deleted');
  assert.deepEqual(browser.sessionCookies, []);
  assert.equal(await accounts.readSession(copied), null);
  assert.equal(await fixture.people.findTokenOwner(token), null);
  assert.deepEqual(await operator.listTeams(), []);
  assert.equal((await new Browser().signIn(fixture, 'owner@bells.test')).kind, 'wrong');
});

test('an API token is shown by its last characters and the time of its use', async () => {
  await using fixture = await openPeople();
  const { userId } = await aUser(fixture, ada.email);
  const { tokens, findTokenOwner } = fixture.people;
  const token = await tokens.generateApiToken(userId);
  const shown = { hint: token.slice(-4), createdAt: fixture.clock.now() };
  assert.deepEqual(await tokens.readApiToken(userId), { ...shown, lastUsedAt: null });
  await findTokenOwner(token);
  await fixture.people.close();
  const used = { ...shown, lastUsedAt: fixture.clock.now() };
  assert.deepEqual(await tokens.readApiToken(userId), used);
});
