import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createDatabase } from '#testing/postgres';
import { Browser, LOCAL, openPeople, PASSWORD } from '#testing/people';

test('an account is made, used and deleted on Postgres', async () => {
  await using database = await createDatabase();
  await using fixture = await openPeople(
    { signUp: 'open' },
    { kind: 'postgres', url: database.url },
  );
  const { accounts, tokens, teams } = fixture.people;
  const browser = new Browser();
  const ada = { name: 'Ada', email: 'ada@bells.test', password: PASSWORD, team: 'Bells' };
  browser.take(await accounts.createFirstAccount(ada, browser.request, LOCAL));
  const session = await browser.session(fixture);
  assert.equal(session?.team?.name, 'Bells');
  const userId = session?.user.id ?? '';

  const long = `${randomBytes(20_000).toString('hex')}@bells.test`;
  assert.equal((await new Browser().signIn(fixture, long)).kind, 'wrong');

  const token = await tokens.generateApiToken(userId);
  const owner = await fixture.people.findTokenOwner(token);
  const actor = 'Ada (ada@bells.test), API token';
  assert.deepEqual(owner, { teamId: session?.team?.id, actor, isViewer: false });

  const begun = await accounts.beginSecondFactor({ password: PASSWORD }, browser.request);
  assert.equal(begun.kind, 'begun');
  const wrong = await accounts.confirmSecondFactor({ code: '12345' }, browser.request);
  assert.equal(wrong.kind, 'refused');

  const change = { currentPassword: PASSWORD, password: 'a better password' };
  browser.take(await accounts.changePassword(change, browser.request));
  assert.equal((await new Browser().signIn(fixture, ada.email)).kind, 'wrong');
  assert.equal((await new Browser().signIn(fixture, ada.email, change.password)).kind, 'signed-in');

  await teams.createTeam(userId, 'Second');
  const gone = await accounts.deleteAccount({ password: change.password }, browser.request);
  assert.equal(browser.take(gone).kind, 'deleted');
  assert.equal(await fixture.people.findTokenOwner(token), null);
  assert.equal(await browser.session(fixture), null);
  assert.equal(await accounts.isSetUp(), true);
});
