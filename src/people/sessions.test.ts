import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#domain/log';
import { totpOf } from '#testing/authenticator';
import { aUser, Browser, openPeople, PASSWORD, type TestPeople } from '#testing/people';
import { processMs } from '#testing/spent-time';
import { Limits } from './limits.ts';
import { guessAtSignIn } from './password-guesses.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const PROVIDER = 'https://id.example';

const sessionsIn = ({ store }: TestPeople) =>
  store.database.read((db) => db.selectFrom('sessions').selectAll().execute());

const tokenOf = (browser: Browser) =>
  /session_token=([^;]*)/.exec(browser.headers.get('cookie') ?? '')?.[1] ?? '';

/** Makes the browser's session one that the operator's provider has opened. */
async function markAsByProvider(room: TestPeople, browser: Browser): Promise<void> {
  const id = (await browser.session(room))?.id ?? '';
  await room.store.database.transact((trx) =>
    trx.updateTable('sessions').set({ opened_by: PROVIDER }).where('id', '=', id).execute(),
  );
}

test('who signs in with the right password has a session in their current team', async () => {
  await using room = await openPeople();
  const { userId, teamId } = await aUser(room, 'ada@bells.test');
  const browser = new Browser();
  const answer = await browser.signIn(room, ' Ada@Bells.test ');
  assert.equal(answer.kind, 'signed-in');
  const session = await browser.session(room);
  assert.deepEqual(session?.user, {
    id: userId,
    name: 'ada',
    email: 'ada@bells.test',
    isEmailVerified: true,
    hasSecondFactor: false,
  });
  assert.deepEqual(session?.team, { id: teamId, name: 'Bells', role: 'owner' });
  assert.deepEqual(session?.teams, [session?.team]);
});

test('an unknown email costs a guess as much work as a wrong password', async () => {
  await using room = await openPeople({ passwordWork: { costLog2: 14, passes: 1 } });
  await aUser(room, 'ada@bells.test');
  const workOf = async (email: string) => {
    const from = processMs();
    await new Browser().signIn(room, email, 'not the password');
    return processMs() - from;
  };
  // Both are measured in turns, and the least of each counts: what else the process does only ever adds to it.
  const [known, unknown]: [number[], number[]] = [[], []];
  for (let n = 0; n < 8; n++) {
    known.push(await workOf('ada@bells.test'));
    unknown.push(await workOf('nobody@bells.test'));
  }
  const ratio = Math.min(...unknown) / Math.min(...known);
  assert.ok(ratio > 0.5 && ratio < 2, `${ratio}`);
});

test('after three wrong guesses from an address the right password has to wait, for that address alone', async () => {
  await using room = await openPeople();
  await aUser(room, 'ada@bells.test');
  const attacker = new Browser();
  for (let n = 0; n < 3; n++) await attacker.signIn(room, 'ada@bells.test', `guess ${n}`);
  assert.deepEqual(await attacker.signIn(room, 'ada@bells.test'), {
    kind: 'too-many',
    retryAfterSeconds: 10,
  });
  assert.equal((await new Browser().signIn(room, 'ada@bells.test')).kind, 'signed-in');
  await room.clock.advance(10_000);
  assert.equal((await attacker.signIn(room, 'ada@bells.test')).kind, 'signed-in');
});

test('a text that is no email leaves no count behind, and a long name only its hash', async () => {
  await using room = await openPeople();
  const text = `${'ab'.repeat(20_000)}@bells.test`;
  assert.equal((await new Browser().signIn(room, text)).kind, 'wrong');
  const limits = new Limits({ store: room.store, clock: room.clock, log: silentLog });
  for (let n = 0; n < 3; n++) assert.equal(await limits.count('mail-to', text, 'b'), null);
  assert.equal((await limits.count('mail-to', text, 'b'))?.kind, 'too-many');
  assert.equal(
    await limits.count('mail-to', `${text}c`, 'b'),
    null,
    'another name is counted apart',
  );
  const rows = await room.store.database.transact((trx) =>
    trx.selectFrom('rate_windows').select('key').execute(),
  );
  assert.deepEqual(
    rows.filter(({ key }) => key.startsWith('account-guess') || key.length > 300),
    [],
  );
});

test('a guess that could not be verified is not counted', async () => {
  await using room = await openPeople();
  const limits = new Limits({ store: room.store, clock: room.clock, log: silentLog });
  const config = { baseUrl: 'http://localhost:3000', appKey: new Uint8Array(32) };
  const context = { clock: room.clock, config, limits };
  const request = { headers: new Headers(), clientAddress: '192.0.2.1' };
  const guess = (check: () => Promise<{ kind: 'wrong' }>) =>
    guessAtSignIn(context, 'ada@bells.test', request, check);
  const down = new Error('the database is down');
  const fail = () => Promise.reject(down);
  for (let n = 0; n < 4; n++) await assert.rejects(guess(fail), down);
  const wrong = await guess(() => Promise.resolve({ kind: 'wrong' }));
  assert.deepEqual(wrong, { kind: 'wrong' });
});

test('signing in time and again with the right password is no guessing', async () => {
  await using room = await openPeople();
  await aUser(room, 'ada@bells.test');
  const browser = new Browser();
  for (let n = 0; n < 5; n++) {
    assert.equal((await browser.signIn(room, 'ada@bells.test')).kind, 'signed-in');
  }
});

test('a session token is kept as a hash only', async () => {
  await using room = await openPeople();
  await aUser(room, 'ada@bells.test');
  const browser = new Browser();
  await browser.signIn(room, 'ada@bells.test');
  const rows = await sessionsIn(room);
  assert.match(String(rows[0]?.token_hash), /^[0-9a-f]{64}$/);
  const token = tokenOf(browser);
  assert.ok(token.length >= 32 && !JSON.stringify(rows).includes(token));
  assert.equal(rows[0]?.ip_address, browser.clientAddress);
});

test('a session by a provider ends after the hours that the operator set, and no other does', async () => {
  await using room = await openPeople({ providerSessionHours: 8 });
  const { userId } = await aUser(room, 'ada@bells.test');
  const [byProvider, byPassword] = [new Browser(), new Browser()];
  for (const browser of [byProvider, byPassword]) await browser.signIn(room, 'ada@bells.test');
  await markAsByProvider(room, byProvider);
  await room.clock.advance(8 * 60 * 60_000 - 60_000);
  assert.ok(await byProvider.session(room));
  await room.clock.advance(120_000);
  assert.equal(await byProvider.session(room), null);
  assert.equal((await byPassword.session(room))?.user.id, userId);
});

/** A session as the operator's provider opens it. */
async function signInByProvider(room: TestPeople) {
  const { userId } = await aUser(room, 'ada@bells.test');
  const browser = new Browser();
  await browser.signIn(room, 'ada@bells.test');
  await markAsByProvider(room, browser);
  return { browser, userId };
}

for (const [what, change] of [
  [
    'another password',
    async ({ people }: TestPeople, browser: Browser) => {
      const passwords = { currentPassword: PASSWORD, password: 'another horse battery' };
      browser.take(await people.accounts.changePassword(passwords, browser.request));
    },
  ],
  [
    'a second factor, on and off',
    async ({ people: { accounts }, clock }: TestPeople, browser: Browser) => {
      const password = { password: PASSWORD };
      const begun = await accounts.beginSecondFactor(password, browser.request);
      const code = begun.kind === 'begun' ? totpOf(begun.otpauthUri, clock.now()) : '';
      browser.take(await accounts.confirmSecondFactor({ code }, browser.request));
      browser.take(await accounts.endSecondFactor(password, browser.request));
    },
  ],
] as const)
  test(`a provider's session keeps its origin and age after ${what}`, async () => {
    await using room = await openPeople({ providerSessionHours: 8 });
    const { browser, userId } = await signInByProvider(room);
    const before = await browser.session(room);
    await room.clock.advance(4 * HOUR_MS);
    await change(room, browser);
    const after = await browser.session(room);
    assert.notEqual(after?.id, before?.id);
    assert.equal(after?.user.id, userId);
    assert.deepEqual(
      (await sessionsIn(room)).map((row) => row.opened_by),
      [PROVIDER],
    );
    await room.clock.advance(4 * HOUR_MS - 60_000);
    assert.notEqual(await browser.session(room), null);
    await room.clock.advance(120_000);
    assert.equal(await browser.session(room), null);
  });

test('a change of the password or second factor makes a copy of the old session token worthless', async () => {
  await using room = await openPeople();
  const { accounts } = room.people;
  await aUser(room, 'ada@bells.test');
  const browser = new Browser();
  await browser.signIn(room, 'ada@bells.test');
  const isWorthless = async (change: () => Promise<object>) => {
    const copied = browser.headers;
    browser.take(await change());
    assert.equal(await accounts.readSession(copied), null);
    assert.ok(await browser.session(room));
  };
  const passwords = { currentPassword: PASSWORD, password: 'another horse battery' };
  await isWorthless(() => accounts.changePassword(passwords, browser.request));
  const password = { password: passwords.password };
  const begun = await accounts.beginSecondFactor(password, browser.request);
  const uri = begun.kind === 'begun' ? begun.otpauthUri : '';
  const code = totpOf(uri, room.clock.now());
  await isWorthless(() => accounts.confirmSecondFactor({ code }, browser.request));
  await isWorthless(() => accounts.endSecondFactor(password, browser.request));
});

test('an unused session ends after 14 days, and a used one is extended once a day', async () => {
  await using room = await openPeople();
  await aUser(room, 'ada@bells.test');
  const [used, unused] = [new Browser(), new Browser()];
  for (const browser of [used, unused]) await browser.signIn(room, 'ada@bells.test');
  assert.deepEqual((await used.session(room))?.setCookies, []);
  await room.clock.advance(10 * DAY_MS);
  const [cookie = ''] = (await used.session(room))?.setCookies ?? [];
  assert.match(cookie, /; Max-Age=1209600;/);
  assert.equal(cookie.includes(tokenOf(used)), true, 'the token stays');
  assert.deepEqual((await used.session(room))?.setCookies, [], 'once a day');
  await room.clock.advance(4 * DAY_MS);
  assert.equal(await unused.session(room), null);
  assert.ok(await used.session(room));
});

test('a session from before the clock was set back by a year is over', async () => {
  await using room = await openPeople();
  await aUser(room, 'ada@bells.test');
  const browser = new Browser();
  await browser.signIn(room, 'ada@bells.test');
  room.clock.jumpTo(room.clock.now() - HOUR_MS);
  assert.ok(await browser.session(room));
  const [row] = await sessionsIn(room);
  assert.equal(row?.expires_at, room.clock.now() + 14 * DAY_MS, 'it lasts no longer than others');
  room.clock.jumpTo(room.clock.now() - 365 * DAY_MS);
  assert.equal(await browser.session(room), null);
  assert.deepEqual(await sessionsIn(room), []);
});

test('an unknown, empty or oversized token is looked up nowhere and opens nothing', async () => {
  await using room = await openPeople();
  for (const token of ['', 'x', 'x'.repeat(43), 'x'.repeat(5000), '%00']) {
    const headers = new Headers({ cookie: `belfry.session_token=${token}` });
    assert.equal(await room.people.accounts.readSession(headers), null);
  }
});
