import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all } from '#store/database/rows';
import { decodeBase32, totpOf } from '#testing/authenticator';
import { aUser, Browser, openPeople, PASSWORD, type TestPeople } from '#testing/people';

const EMAIL = 'ada@bells.test';

/** The authenticator's next code, after the one that confirmed it, which is used up. */
const nextCodeOf = ({ clock }: TestPeople, uri: string) => totpOf(uri, clock.now() + 30_000);

async function withSecondFactor(fixture: TestPeople) {
  await aUser(fixture, EMAIL);
  const browser = new Browser();
  await browser.signIn(fixture, EMAIL);
  const { accounts } = fixture.people;
  const begun = await accounts.beginSecondFactor({ password: PASSWORD }, browser.request);
  assert.ok(begun.kind === 'begun', JSON.stringify(begun));
  return { browser, begun, accounts };
}

async function confirmed(fixture: TestPeople) {
  const made = await withSecondFactor(fixture);
  const code = totpOf(made.begun.otpauthUri, fixture.clock.now());
  const answer = await made.accounts.confirmSecondFactor({ code }, made.browser.request);
  assert.equal(made.browser.take(answer).kind, 'signed-in');
  return made;
}

test('a second factor is not in force before it is confirmed', async () => {
  await using fixture = await openPeople();
  const { browser, begun, accounts } = await withSecondFactor(fixture);
  assert.match(begun.otpauthUri, /^otpauth:\/\/totp\/Belfry/);
  assert.equal(begun.recoveryCodes.length, 10);
  const wrong = await accounts.confirmSecondFactor({ code: '000000' }, browser.request);
  assert.equal(wrong.kind, 'refused');
  assert.equal((await new Browser().signIn(fixture, EMAIL)).kind, 'signed-in');
  assert.equal((await browser.session(fixture))?.user.hasSecondFactor, false);
});

test('a recovery code replaces the authenticator once, also in small letters and without dashes', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const code = (begun.recoveryCodes[0] ?? '').toLowerCase().replaceAll('-', ' ');
  const kinds: string[] = [];
  for (let n = 0; n < 2; n++) {
    const browser = new Browser();
    await browser.signIn(fixture, EMAIL);
    kinds.push((await accounts.verifySecondFactor({ code }, browser.request)).kind);
  }
  assert.deepEqual(kinds, ['signed-in', 'wrong']);
});

test('the second step needs the first, and a challenge is used up with it', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const code = nextCodeOf(fixture, begun.otpauthUri).replace(/^.../, '$& ');
  const withoutPassword = await accounts.verifySecondFactor({ code }, new Browser().request);
  assert.equal(withoutPassword.kind, 'expired');
  const browser = new Browser();
  await browser.signIn(fixture, EMAIL);
  const { request } = browser;
  assert.equal((await accounts.verifySecondFactor({ code }, request)).kind, 'signed-in');
  assert.equal((await accounts.verifySecondFactor({ code }, request)).kind, 'expired');
});

test("another user's session does not replace the challenge", async () => {
  await using fixture = await openPeople();
  const { accounts } = await confirmed(fixture);
  await aUser(fixture, 'eve@bells.test');
  const browser = new Browser();
  await browser.signIn(fixture, 'eve@bells.test');
  const answer = await accounts.verifySecondFactor({ code: '123456' }, browser.request);
  assert.equal(answer.kind, 'expired');
});

test('guesses of codes are limited per address, challenge and account', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const attacker = new Browser();
  await attacker.signIn(fixture, EMAIL);
  const guess = (browser: Browser) =>
    accounts.verifySecondFactor({ code: 'wrong-codes' }, browser.request);
  const kinds: string[] = [];
  for (let n = 0; n < 4; n++) kinds.push((await guess(attacker)).kind);
  assert.equal(kinds.at(-1), 'too-many');
  // Each guess is from a new address, so it is the account's own limit that refuses after ten.
  let last = '';
  for (let n = 0; n < 12 && last !== 'too-many'; n++) {
    const browser = new Browser();
    await browser.signIn(fixture, EMAIL);
    last = (await guess(browser)).kind;
  }
  assert.equal(last, 'too-many');
  const owner = new Browser();
  await owner.signIn(fixture, EMAIL);
  const code = nextCodeOf(fixture, begun.otpauthUri);
  assert.equal((await accounts.verifySecondFactor({ code }, owner.request)).kind, 'too-many');
});

test('right codes do not count as guesses', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const browser = new Browser();
  for (const code of begun.recoveryCodes) {
    await browser.signIn(fixture, EMAIL);
    const answer = await accounts.verifySecondFactor({ code }, browser.request);
    assert.equal(answer.kind, 'signed-in');
  }
});

test('neither the secret nor a recovery code is kept as text', async () => {
  await using fixture = await openPeople();
  const { begun } = await confirmed(fixture);
  const rows = JSON.stringify(await all(fixture.store.database, 'two_factors', {}));
  const secret = new URL(begun.otpauthUri).searchParams.get('secret') ?? '';
  for (const text of [secret, decodeBase32(secret).toString(), ...begun.recoveryCodes]) {
    assert.ok(!rows.includes(text));
  }
});

test('a reset password leaves the second factor in force', async () => {
  await using fixture = await openPeople();
  const { accounts } = await confirmed(fixture);
  const link = await fixture.people.operator.resetPasswordUrl(EMAIL);
  const input = {
    token: link?.split('/').at(-1) ?? '',
    password: 'a better password',
    revokesToken: false,
  };
  assert.equal((await accounts.resetPassword(input, new Browser().request)).kind, 'done');
  const answer = await new Browser().signIn(fixture, EMAIL, 'a better password');
  assert.equal(answer.kind, 'second-factor');
});

test('no earlier code works after a later one, also if the clock is set back', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const first = totpOf(begun.otpauthUri, fixture.clock.now() + 30_000);
  await fixture.clock.advance(60_000);
  const signIn = async (code: string) => {
    const browser = new Browser();
    await browser.signIn(fixture, EMAIL);
    return (await accounts.verifySecondFactor({ code }, browser.request)).kind;
  };
  assert.equal(await signIn(totpOf(begun.otpauthUri, fixture.clock.now())), 'signed-in');
  assert.equal(await signIn(first), 'wrong', 'it is one step old and was never used');
  fixture.clock.jumpTo(fixture.clock.now() - 60_000);
  assert.equal(await signIn(first), 'wrong');
});

test('a challenge ends after ten minutes and with a reset of the password', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const signedIn = async (meanwhile: () => Promise<unknown>) => {
    const browser = new Browser();
    await browser.signIn(fixture, EMAIL);
    await meanwhile();
    const code = totpOf(begun.otpauthUri, fixture.clock.now() + 30_000);
    return (await accounts.verifySecondFactor({ code }, browser.request)).kind;
  };
  assert.equal(await signedIn(() => fixture.clock.advance(10 * 60_000)), 'expired');
  assert.equal(await signedIn(() => fixture.clock.advance(9 * 60_000)), 'signed-in');
  const reset = async () => {
    const token = (await fixture.people.operator.resetPasswordUrl(EMAIL))?.split('/').at(-1) ?? '';
    const input = { token, password: PASSWORD, revokesToken: false };
    assert.equal((await accounts.resetPassword(input, new Browser().request)).kind, 'done');
  };
  assert.equal(await signedIn(reset), 'expired');
});

test('a second factor in force is not replaced without ending it first', async () => {
  await using fixture = await openPeople();
  const { browser, begun, accounts } = await confirmed(fixture);
  const again = await accounts.beginSecondFactor({ password: PASSWORD }, browser.request);
  assert.deepEqual(again, {
    kind: 'refused',
    errors: { code: ['A second factor is in force already.'] },
  });
  const next = new Browser();
  await next.signIn(fixture, EMAIL);
  const code = nextCodeOf(fixture, begun.otpauthUri);
  assert.equal((await accounts.verifySecondFactor({ code }, next.request)).kind, 'signed-in');
});
