import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PasskeyDevice } from '#testing/passkey-device';
import { aUser, Browser, openPeople, PASSWORD, type TestPeople } from '#testing/people';

const EMAIL = 'ada@bells.test';

async function begin({ people }: TestPeople, browser: Browser): Promise<string> {
  const asked = await people.accounts.beginPasskey({ password: PASSWORD }, browser.request);
  browser.take(asked);
  assert.ok(asked.kind === 'asked', JSON.stringify(asked));
  return asked.options;
}

/** A user with a passkey, signed in by password. */
async function withPasskey(fixture: TestPeople) {
  const { userId } = await aUser(fixture, EMAIL);
  const browser = new Browser();
  await browser.signIn(fixture, EMAIL);
  const device = new PasskeyDevice();
  const input = { name: 'Phone', answer: device.create(await begin(fixture, browser)) };
  const { accounts } = fixture.people;
  assert.equal((await accounts.addPasskey(input, browser.request)).kind, 'done');
  return { userId, browser, device, accounts };
}

async function ask({ people }: TestPeople, browser: Browser): Promise<string> {
  const asked = await people.accounts.beginPasskeySignIn(browser.request);
  browser.take(asked);
  assert.ok(asked.kind === 'asked');
  return asked.options;
}

async function signIn({ people }: TestPeople, browser: Browser, answer: string): Promise<string> {
  return browser.take(await people.accounts.signInByPasskey({ answer }, browser.request)).kind;
}

test('an answer opens one session of its user, and a challenge takes one answer, right or wrong', async () => {
  await using fixture = await openPeople();
  const { userId, device, accounts } = await withPasskey(fixture);
  const browser = new Browser();
  const options = await ask(fixture, browser);
  assert.equal((JSON.parse(options) as Record<string, unknown>)['userVerification'], 'required');
  const replay = browser.request;
  const answer = device.get(options);
  assert.equal(await signIn(fixture, browser, answer), 'signed-in');
  assert.equal((await browser.session(fixture))?.user.id, userId);
  assert.deepEqual(browser.sessionCookies, ['belfry.session_token'], 'the challenge is gone');
  assert.equal((await accounts.signInByPasskey({ answer }, replay)).kind, 'wrong');
  const other = new Browser();
  const next = await ask(fixture, other);
  assert.equal(await signIn(fixture, other, '{"id":"x"}'), 'wrong');
  assert.equal(await signIn(fixture, other, device.get(next)), 'wrong');
});

test('an answer opens nothing in another browser, after five minutes or with a flaw', async () => {
  await using fixture = await openPeople();
  const { device } = await withPasskey(fixture);
  const answerAfter = async (waitMs: number, flaw = {}) => {
    const browser = new Browser();
    const options = await ask(fixture, browser);
    await fixture.clock.advance(waitMs);
    const kind = await signIn(fixture, browser, device.get(options, flaw));
    assert.equal((await browser.session(fixture)) !== null, kind === 'signed-in');
    return kind;
  };
  assert.equal(await answerAfter(5 * 60_000 - 1), 'signed-in');
  assert.equal(await answerAfter(5 * 60_000), 'wrong');
  for (const flaw of [
    { isVerified: false },
    { origin: 'http://localhost.evil.test' },
    // A counter that went back, as of a copied device.
    { counter: 1 },
  ])
    assert.equal(await answerAfter(10_000, flaw), 'wrong', Object.keys(flaw).join());
  const [victim, attacker] = [new Browser(), new Browser()];
  const options = await ask(fixture, attacker);
  await ask(fixture, victim);
  assert.equal(await signIn(fixture, victim, device.get(options)), 'wrong');
  assert.equal(await signIn(fixture, new Browser(), device.get(options)), 'wrong');
});

test('a passkey is not added without user verification, from another origin or a second time', async () => {
  await using fixture = await openPeople();
  const { browser, device, accounts } = await withPasskey(fixture);
  const add = async (answer: string) =>
    (await accounts.addPasskey({ name: 'x', answer }, browser.request)).kind;
  const other = new PasskeyDevice();
  const wrong = { isVerified: false };
  assert.equal(await add(other.create(await begin(fixture, browser), wrong)), 'refused');
  const elsewhere = { origin: 'https://evil.test' };
  assert.equal(await add(other.create(await begin(fixture, browser), elsewhere)), 'refused');
  await fixture.clock.advance(10_000);
  const answer = other.create(await begin(fixture, browser));
  assert.equal(await add(answer), 'done');
  assert.equal(await add(answer), 'refused', 'its challenge is used up');
  assert.equal(await add(device.create(await begin(fixture, browser))), 'refused', 'known already');
  assert.equal((await accounts.listPasskeys(browser.request)).length, 2);
});

test('a challenge to add a passkey counts for its user only, and ends with a new password', async () => {
  await using fixture = await openPeople();
  const { browser, accounts } = await withPasskey(fixture);
  await aUser(fixture, 'eve@bells.test');
  const eve = new Browser();
  await eve.signIn(fixture, 'eve@bells.test');
  const answer = new PasskeyDevice().create(await begin(fixture, eve));
  const ofEve = /belfry\.passkey=[^;]+/.exec(eve.headers.get('cookie') ?? '')?.[0] ?? '';
  const ofAda = (browser.headers.get('cookie') ?? '').replace(/belfry\.passkey=[^;]+/, ofEve);
  const mixed = { ...browser.request, headers: new Headers({ cookie: ofAda }) };
  assert.equal((await accounts.addPasskey({ name: 'x', answer }, mixed)).kind, 'refused');
  const late = new PasskeyDevice().create(await begin(fixture, browser));
  const passwords = { currentPassword: PASSWORD, password: 'another horse battery' };
  browser.take(await accounts.changePassword(passwords, browser.request));
  const added = await accounts.addPasskey({ name: 'x', answer: late }, browser.request);
  assert.equal(added.kind, 'refused');
});

test('passkeys are offered at HTTPS with a host name, and on this machine', async () => {
  for (const [baseUrl, isOffered] of [
    ['https://belfry.example:8443', true],
    ['http://localhost:3000', true],
    ['http://belfry.example', false],
    ['https://203.0.113.7', false],
    ['https://[2001:db8::1]', false],
  ] as const) {
    await using fixture = await openPeople({ baseUrl });
    assert.equal(fixture.people.accounts.offersPasskeys(), isOffered, baseUrl);
  }
});
