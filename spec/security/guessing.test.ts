import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD, startDashboard, useDashboard } from '#testing/dashboard';
import { before } from '#testing/hooks';
import type { Visitor } from '#testing/visitor';

/** Somebody guesses passwords from as many addresses as they like. */

const ALLOWED = 20;

const dashboard = useDashboard({}, { sends: false });

/** Gives the email of a new account. */
const anAccount = async () => (await dashboard.newTeam()).email;

const signIn = (email: string, visitor = dashboard.visitor(), password = PASSWORD) =>
  visitor.post('/login', { email, password });

async function guessOften(email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++)
    statuses.push((await signIn(email, dashboard.visitor(), `guess ${n}`)).status);
  return statuses;
}

describe('password guesses at one account from many addresses', () => {
  const expected = Array.from({ length: ALLOWED + 5 }, (_, n) => (n < ALLOWED ? 422 : 429));
  let email: string;
  let own: Visitor;
  let statuses: number[];

  before(async () => {
    email = await anAccount();
    own = await dashboard.signIn({ email });
    await own.post('/logout', {});
    statuses = await guessOften(email, expected.length);
  });

  test('after twenty guesses an hour even the right password is rejected', async () => {
    assert.deepEqual(statuses, expected);
    const right = await signIn(email);
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers.get('Retry-After')) > 0);
    const unknown = await guessOften('nobody@x.test', expected.length);
    assert.deepEqual(unknown, expected, 'nothing shows whether the account exists');
  });

  test('password guesses do not lock out a known browser', async () =>
    assert.equal((await signIn(email, own)).status, 302));

  test('password guesses do not block a password reset by email', async () => {
    const owner = dashboard.visitor();
    const link = (await dashboard.service.people.operator.resetPasswordUrl(email)) ?? '';
    const reset = await owner.post(new URL(link).pathname, { password: PASSWORD });
    assert.equal(reset.status, 302);
    assert.equal((await signIn(email, owner)).status, 302);
  });
});

test('password guesses are logged with their address and without the password', async () => {
  const email = await anAccount();
  const from = dashboard.events.length;
  const attacker = dashboard.visitor();
  await signIn(email, attacker, 'a wrong guess');
  const own = await dashboard.signIn({ email });
  await own.post('/settings/api-token', { password: PASSWORD });
  const events = dashboard.events.slice(from);
  const logged = events.filter(({ event }) => event.startsWith('account.'));
  assert.deepEqual(
    logged.map(({ event, fields }) => [event, fields['address']]),
    [
      ['account.not-signed-in', attacker.clientAddress],
      ['account.signed-in', own.clientAddress],
      ['account.changed', undefined],
    ],
  );
  assert.ok(!JSON.stringify(events).includes('a wrong guess'));
  assert.ok(!JSON.stringify(logged).includes(email));
});

test('the cookie of a known browser has its own limit and works for its account only', async () => {
  const [email, other] = [await anAccount(), await anAccount()];
  const ofOther = await dashboard.signIn({ email: other });
  const mark = (await dashboard.signIn({ email })).cookies.get('belfry_device') ?? '';
  assert.ok(mark !== '' && !decodeURIComponent(mark).includes(email));
  await guessOften(email, ALLOWED);
  const thiefWith = (device: string) => {
    const thief = dashboard.visitor();
    thief.cookies.set('belfry_device', device);
    return thief;
  };
  for (const useless of [
    ofOther.cookies.get('belfry_device') ?? '',
    `${mark}x`,
    `x${mark}`,
    'a.b.c',
    '~',
  ]) {
    assert.equal((await signIn(email, thiefWith(useless))).status, 429, useless);
  }
  assert.equal((await thiefWith(mark).get('/')).status, 302, 'it is no session');
  const statuses: number[] = [];
  for (let n = 0; n <= ALLOWED; n++)
    statuses.push((await signIn(email, thiefWith(mark), `guess ${n}`)).status);
  assert.deepEqual([statuses.at(-2), statuses.at(-1)], [422, 429]);
});

test('a stolen session has ten password guesses an hour over all forms and addresses', async () => {
  const email = await anAccount();
  const owner = await dashboard.signIn({ email });
  const forms: [string, Record<string, string>][] = [
    ['/settings/api-token', {}],
    ['/settings/profile', { intent: 'email', email: 'eve@evil.test' }],
    ['/settings/profile', { intent: 'begin-second-factor' }],
    ['/settings/profile', { intent: 'delete' }],
  ];
  const guessAt = (n: number) => {
    const thief = dashboard.visitor();
    for (const [name, value] of owner.cookies) thief.cookies.set(name, value);
    const [path, form] = forms[n % forms.length] ?? ['', {}];
    return thief.post(path, { ...form, password: n === 11 ? PASSWORD : `guess ${n}` });
  };
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await guessAt(n)).status);
  assert.deepEqual(statuses, [...Array<number>(10).fill(422), 429, 429]);
  const again = await dashboard.signIn({ email });
  assert.equal((await again.post('/settings/api-token', { password: PASSWORD })).status, 200);
});

test('a flood of sign-ins gets 503 with Retry-After once the queue is full', async () => {
  // Enough work that the queue is still full when the last requests arrive.
  await using busyDashboard = await startDashboard(
    {},
    { passwordWork: { costLog2: 14, passes: 1 } },
  );
  const { email } = await busyDashboard.newTeam();
  // Each at an account of its own, so that only the full queue can reject them.
  const flood = Array.from({ length: 50 }, (_, n) =>
    busyDashboard.visitor().post('/login', { email: `nobody${n}@x.test`, password: 'guess' }),
  );
  const answers = await Promise.all(flood);
  const busy = answers.filter(({ status }) => status === 503);
  assert.ok(busy.length > 0, 'none was rejected');
  for (const { headers, text } of busy) {
    assert.ok(Number(headers.get('Retry-After')) > 0);
    assert.match(text, /Belfry is busy/);
  }
  assert.ok(answers.every(({ status }) => status === 503 || status === 422));
  const later = await signIn(email, busyDashboard.visitor());
  assert.equal(later.status, 302, 'afterwards it is as before');
});
