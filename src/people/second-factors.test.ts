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

/** Signs in with the password, and then with a code. */
async function signInWith(fixture: TestPeople, code: string, browser = new Browser()) {
  await browser.signIn(fixture, EMAIL);
  return (await fixture.people.accounts.verifySecondFactor({ code }, browser.request)).kind;
}

async function resetPassword({ people }: TestPeople, password: string) {
  const token = (await people.operator.resetPasswordUrl(EMAIL))?.split('/').at(-1) ?? '';
  const input = { token, password, revokesToken: false };
  assert.equal((await people.accounts.resetPassword(input, new Browser().request)).kind, 'done');
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
  const { begun } = await confirmed(fixture);
  const code = (begun.recoveryCodes[0] ?? '').toLowerCase().replaceAll('-', ' ');
  assert.equal(await signInWith(fixture, code), 'signed-in');
  assert.equal(await signInWith(fixture, code), 'wrong');
});

test('the second step needs the first, and a challenge is used up with it', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const code = nextCodeOf(fixture, begun.otpauthUri).replace(/^.../, '$& ');
  const verify = async ({ request }: Browser) =>
    (await accounts.verifySecondFactor({ code }, request)).kind;
  assert.equal(await verify(new Browser()), 'expired');
  await aUser(fixture, 'eve@bells.test');
  const eve = new Browser();
  await eve.signIn(fixture, 'eve@bells.test');
  assert.equal(await verify(eve), 'expired', 'a session is no challenge');
  const browser = new Browser();
  await browser.signIn(fixture, EMAIL);
  assert.equal(await verify(browser), 'signed-in');
  assert.equal(await verify(browser), 'expired');
});

test('guesses of codes are limited per address, challenge and account', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const attacker = new Browser();
  await attacker.signIn(fixture, EMAIL);
  const guess = async () =>
    (await accounts.verifySecondFactor({ code: 'wrong-codes' }, attacker.request)).kind;
  for (let n = 0; n < 3; n++) assert.equal(await guess(), 'wrong');
  assert.equal(await guess(), 'too-many');
  // Each guess is from a new address, so it is the account's own limit that refuses after ten.
  let last = '';
  for (let n = 0; n < 12 && last !== 'too-many'; n++)
    last = await signInWith(fixture, 'wrong-codes');
  assert.equal(last, 'too-many');
  assert.equal(await signInWith(fixture, nextCodeOf(fixture, begun.otpauthUri)), 'too-many');
});

test('right passwords and codes do not count as guesses', async () => {
  await using fixture = await openPeople();
  const { begun } = await confirmed(fixture);
  const browser = new Browser();
  for (const code of begun.recoveryCodes)
    assert.equal(await signInWith(fixture, code, browser), 'signed-in');
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
  await confirmed(fixture);
  await resetPassword(fixture, 'a better password');
  const answer = await new Browser().signIn(fixture, EMAIL, 'a better password');
  assert.equal(answer.kind, 'second-factor');
});

test('no earlier code works after a later one, also if the clock is set back', async () => {
  await using fixture = await openPeople();
  const { begun } = await confirmed(fixture);
  const first = nextCodeOf(fixture, begun.otpauthUri);
  await fixture.clock.advance(60_000);
  const code = totpOf(begun.otpauthUri, fixture.clock.now());
  assert.equal(await signInWith(fixture, code), 'signed-in');
  assert.equal(await signInWith(fixture, first), 'wrong', 'it is one step old and was never used');
  fixture.clock.jumpTo(fixture.clock.now() - 60_000);
  assert.equal(await signInWith(fixture, first), 'wrong');
});

test('a challenge ends after ten minutes and with a reset of the password', async () => {
  await using fixture = await openPeople();
  const { begun, accounts } = await confirmed(fixture);
  const signedIn = async (meanwhile: () => Promise<unknown>) => {
    const browser = new Browser();
    await browser.signIn(fixture, EMAIL);
    await meanwhile();
    const code = nextCodeOf(fixture, begun.otpauthUri);
    return (await accounts.verifySecondFactor({ code }, browser.request)).kind;
  };
  assert.equal(await signedIn(() => fixture.clock.advance(10 * 60_000)), 'expired');
  assert.equal(await signedIn(() => fixture.clock.advance(9 * 60_000)), 'signed-in');
  assert.equal(await signedIn(() => resetPassword(fixture, PASSWORD)), 'expired');
});

test('a second factor in force is not replaced without ending it first', async () => {
  await using fixture = await openPeople();
  const { browser, begun, accounts } = await confirmed(fixture);
  const again = await accounts.beginSecondFactor({ password: PASSWORD }, browser.request);
  assert.deepEqual(again, {
    kind: 'refused',
    errors: { code: ['A second factor is in force already.'] },
  });
  assert.equal(await signInWith(fixture, nextCodeOf(fixture, begun.otpauthUri)), 'signed-in');
});
