import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { all, change } from '#store/database/rows';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';
import { silentLog } from '#domain/base/log';
import { totpOf } from '#testing/authenticator';
import { aUser, Browser, openPeople, PASSWORD, type TestPeople } from '#testing/people';
import { processMs } from '#testing/spent-time';
import { createLimits } from './limits.ts';
import { guessAtSignIn } from './password-guesses.ts';

const PROVIDER = 'https://id.example';

const sessionsIn = ({ store }: TestPeople) => all(store.database, 'sessions', {});

const tokenOf = (browser: Browser) =>
  /session_token=([^;]*)/.exec(browser.headers.get('cookie') ?? '')?.[1] ?? '';

/** Makes the browser's session one that the operator's provider has opened. */
async function markAsByProvider(fixture: TestPeople, browser: Browser): Promise<void> {
  const id = (await browser.session(fixture))?.id ?? '';
  await change(fixture.store.database, 'sessions', { id }, { opened_by: PROVIDER });
}

test('an unknown email costs a guess as much work as a wrong password', async () => {
  await using fixture = await openPeople({ passwordWork: { costLog2: 14, passes: 1 } });
  await aUser(fixture, 'ada@bells.test');
  const workOf = async (email: string) => {
    const from = processMs();
    await new Browser().signIn(fixture, email, 'not the password');
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
  await using fixture = await openPeople();
  await aUser(fixture, 'ada@bells.test');
  const attacker = new Browser();
  for (let n = 0; n < 3; n++) await attacker.signIn(fixture, 'ada@bells.test', `guess ${n}`);
  assert.deepEqual(await attacker.signIn(fixture, 'ada@bells.test'), {
    kind: 'too-many',
    retryAfterSeconds: 10,
  });
  assert.equal((await new Browser().signIn(fixture, 'ada@bells.test')).kind, 'signed-in');
  await fixture.clock.advance(10_000);
  assert.equal((await attacker.signIn(fixture, 'ada@bells.test')).kind, 'signed-in');
});

test('a text that is no email leaves no count behind, and a long name only its hash', async () => {
  await using fixture = await openPeople();
  const text = `${'ab'.repeat(20_000)}@bells.test`;
  assert.equal((await new Browser().signIn(fixture, text)).kind, 'wrong');
  const limits = createLimits(fixture.store, fixture.clock, silentLog);
  for (let n = 0; n < 3; n++) assert.equal(await limits.count('mail-to', text, 'b'), null);
  assert.equal((await limits.count('mail-to', text, 'b'))?.kind, 'too-many');
  assert.equal(
    await limits.count('mail-to', `${text}c`, 'b'),
    null,
    'another name is counted apart',
  );
  const rows = await all(fixture.store.database, 'rate_windows', {});
  assert.deepEqual(
    rows.filter(({ key }) => key.startsWith('account-guess') || key.length > 300),
    [],
  );
});

test('a guess counts before it is compared, but not if it could not be compared', async () => {
  await using fixture = await openPeople();
  const limits = createLimits(fixture.store, fixture.clock, silentLog);
  const config = { baseUrl: 'http://localhost:3000', appKey: new Uint8Array(32) };
  const context = { clock: fixture.clock, config, limits };
  const { request } = new Browser();
  const guess = (check: () => Promise<{ kind: 'wrong' }>) =>
    guessAtSignIn(context, 'ada@bells.test', request, check);
  const down = new Error('the database is down');
  for (let n = 0; n < 4; n++)
    await assert.rejects(
      guess(() => Promise.reject(down)),
      down,
    );
  let compared = 0;
  const compare = async () => {
    compared++;
    await delay(20);
    return { kind: 'wrong' } as const;
  };
  await Promise.all(Array.from({ length: 8 }, () => guess(compare)));
  assert.equal(compared, 3);
});

test('a session token is kept as a hash only', async () => {
  await using fixture = await openPeople();
  await aUser(fixture, 'ada@bells.test');
  const browser = new Browser();
  await browser.signIn(fixture, 'ada@bells.test');
  const rows = await sessionsIn(fixture);
  assert.match(String(rows[0]?.token_hash), /^[0-9a-f]{64}$/);
  const token = tokenOf(browser);
  assert.ok(token.length >= 32 && !JSON.stringify(rows).includes(token));
  assert.equal(rows[0]?.ip_address, browser.clientAddress);
});

test('a session by a provider ends after the hours that the operator set, and no other does', async () => {
  await using fixture = await openPeople({ providerSessionHours: 8 });
  const { userId } = await aUser(fixture, 'ada@bells.test');
  const [byProvider, byPassword] = [new Browser(), new Browser()];
  for (const browser of [byProvider, byPassword]) await browser.signIn(fixture, 'ada@bells.test');
  await markAsByProvider(fixture, byProvider);
  await fixture.clock.advance(8 * 60 * 60_000 - 60_000);
  assert.ok(await byProvider.session(fixture));
  await fixture.clock.advance(120_000);
  assert.equal(await byProvider.session(fixture), null);
  assert.equal((await byPassword.session(fixture))?.user.id, userId);
});

test("a provider's session keeps its origin and age after another password or second factor", async () => {
  const passwords = { currentPassword: PASSWORD, password: 'another horse battery' };
  for (const replace of [
    async ({ people: { accounts } }: TestPeople, browser: Browser) => {
      browser.take(await accounts.changePassword(passwords, browser.request));
    },
    async ({ people: { accounts }, clock }: TestPeople, browser: Browser) => {
      const password = { password: PASSWORD };
      const begun = await accounts.beginSecondFactor(password, browser.request);
      const code = begun.kind === 'begun' ? totpOf(begun.otpauthUri, clock.now()) : '';
      browser.take(await accounts.confirmSecondFactor({ code }, browser.request));
      browser.take(await accounts.endSecondFactor(password, browser.request));
    },
  ]) {
    await using fixture = await openPeople({ providerSessionHours: 8 });
    await aUser(fixture, 'ada@bells.test');
    const browser = new Browser();
    await browser.signIn(fixture, 'ada@bells.test');
    await markAsByProvider(fixture, browser);
    const before = await browser.session(fixture);
    await fixture.clock.advance(4 * HOUR_MS);
    await replace(fixture, browser);
    const after = await browser.session(fixture);
    assert.notEqual(after?.id, before?.id);
    assert.equal(after?.user.id, before?.user.id);
    const sessions = await sessionsIn(fixture);
    assert.deepEqual(
      sessions.map((row) => row.opened_by),
      [PROVIDER],
    );
    await fixture.clock.advance(4 * HOUR_MS - 60_000);
    assert.notEqual(await browser.session(fixture), null);
    await fixture.clock.advance(120_000);
    assert.equal(await browser.session(fixture), null);
  }
});

test('an unused session ends after 14 days, and a used one is extended once a day', async () => {
  await using fixture = await openPeople();
  await aUser(fixture, 'ada@bells.test');
  const [used, unused] = [new Browser(), new Browser()];
  for (const browser of [used, unused]) await browser.signIn(fixture, 'ada@bells.test');
  assert.deepEqual((await used.session(fixture))?.setCookies, []);
  await fixture.clock.advance(10 * DAY_MS);
  const [cookie = ''] = (await used.session(fixture))?.setCookies ?? [];
  assert.match(cookie, /; Max-Age=1209600;/);
  assert.equal(cookie.includes(tokenOf(used)), true, 'the token stays');
  assert.deepEqual((await used.session(fixture))?.setCookies, [], 'once a day');
  await fixture.clock.advance(4 * DAY_MS);
  assert.equal(await unused.session(fixture), null);
  assert.ok(await used.session(fixture));
});

test('a session from before the clock was set back by a year is over', async () => {
  await using fixture = await openPeople();
  await aUser(fixture, 'ada@bells.test');
  const browser = new Browser();
  await browser.signIn(fixture, 'ada@bells.test');
  fixture.clock.jumpTo(fixture.clock.now() - HOUR_MS);
  assert.ok(await browser.session(fixture));
  const [row] = await sessionsIn(fixture);
  assert.equal(
    row?.expires_at,
    fixture.clock.now() + 14 * DAY_MS,
    'it lasts no longer than others',
  );
  fixture.clock.jumpTo(fixture.clock.now() - 365 * DAY_MS);
  assert.equal(await browser.session(fixture), null);
  assert.deepEqual(await sessionsIn(fixture), []);
});
