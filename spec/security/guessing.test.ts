import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD, startDashboard, type TestDashboard } from '#testing/dashboard';
import type { Visitor } from '#testing/visitor';

/** Somebody guesses passwords from as many addresses as they like. */

const ADA = 'ada@bells.test';
const ALLOWED = 20;

async function guess(dashboard: TestDashboard, password = 'a wrong guess') {
  return (await dashboard.visitor().post('/login', { email: ADA, password })).status;
}

async function guessOften(dashboard: TestDashboard, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) statuses.push(await guess(dashboard, `guess ${n}`));
  return statuses;
}

const signIn = (visitor: Visitor, password = PASSWORD) =>
  visitor.post('/login', { email: ADA, password });

test('password guesses from one IPv6 network count together', async () => {
  await using dashboard = await startDashboard();
  await dashboard.user(ADA);
  const guessFrom = async (address: string, password: string) => {
    const visitor = dashboard.visitor();
    visitor.clientAddress = address;
    return (await signIn(visitor, password)).status;
  };
  for (const end of ['::1', ':0:0:0:2', ':ffff::3'])
    assert.equal(await guessFrom(`2001:db8:0:7${end}`, 'wrong'), 422);
  assert.equal(await guessFrom('2001:db8:0:7:9::9', PASSWORD), 429);
  assert.equal(await guessFrom('2001:db8:0:8::1', PASSWORD), 302);
});

describe('password guesses at one account from many addresses', () => {
  test('after twenty guesses an hour even the right password is rejected', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    const statuses = await guessOften(dashboard, ALLOWED + 5);
    assert.deepEqual(
      statuses,
      Array.from({ length: ALLOWED + 5 }, (_, n) => (n < ALLOWED ? 422 : 429)),
    );
    const right = await signIn(dashboard.visitor());
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers.get('Retry-After')) > 0);
  });

  test('simultaneous password guesses are counted one by one', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    const all = await Promise.all(Array.from({ length: 30 }, () => guess(dashboard)));
    assert.ok(all.filter((status) => status === 422).length <= ALLOWED, String(all));
  });

  test('password guesses do not lock out a known browser', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    const own = dashboard.visitor();
    assert.equal((await signIn(own)).status, 302);
    await own.post('/logout', {});
    await guessOften(dashboard, ALLOWED + 1);
    assert.equal(await guess(dashboard, PASSWORD), 429, 'elsewhere the account is closed');
    assert.equal((await signIn(own)).status, 302, 'here it is open');
  });

  test('password guesses do not block a password reset by email', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    await guessOften(dashboard, ALLOWED + 1);
    const owner = dashboard.visitor();
    const link = (await dashboard.service.people.operator.resetPasswordUrl(ADA)) ?? '';
    const password = 'another fine password';
    assert.equal((await owner.post(new URL(link).pathname, { password })).status, 302);
    assert.equal((await signIn(owner, password)).status, 302);
  });

  test('password guesses are logged with their address and without the password', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    const attacker = dashboard.visitor();
    await signIn(attacker, 'a wrong guess');
    const own = dashboard.visitor();
    await signIn(own);
    await own.post('/settings/api-token', { password: PASSWORD });
    const logged = dashboard.events.filter(({ event }) => event.startsWith('account.'));
    assert.deepEqual(
      logged.map(({ event, fields }) => [event, fields['address']]),
      [
        ['account.not-signed-in', attacker.clientAddress],
        ['account.signed-in', own.clientAddress],
        ['account.changed', undefined],
      ],
    );
    assert.ok(!JSON.stringify(dashboard.events).includes('a wrong guess'));
    assert.ok(!JSON.stringify(logged).includes(ADA));
  });

  test('password guesses do not reveal whether the account exists', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user('somebody@bells.test');
    const statuses = await guessOften(dashboard, ALLOWED + 1);
    assert.equal(statuses.at(-1), 429);
  });
});

describe('the cookie of a known browser', () => {
  test('the cookie of a known browser has its own limit and works for its account only', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    await dashboard.user('eve@bells.test', { role: 'member' });
    const eve = await dashboard.signIn({ email: 'eve@bells.test' });
    const ada = await dashboard.signIn({ email: ADA });
    const mark = ada.cookies.get('belfry_device') ?? '';
    assert.ok(mark !== '' && !decodeURIComponent(mark).includes('ada'));
    await guessOften(dashboard, ALLOWED);
    const thiefWith = (device: string) => {
      const thief = dashboard.visitor();
      thief.cookies.set('belfry_device', device);
      return thief;
    };
    for (const useless of [
      eve.cookies.get('belfry_device') ?? '',
      `${mark}x`,
      `x${mark}`,
      'a.b.c',
      '~',
    ]) {
      assert.equal((await signIn(thiefWith(useless))).status, 429, useless);
    }
    assert.equal((await thiefWith(mark).get('/')).status, 302, 'it is no session');
    const statuses: number[] = [];
    for (let n = 0; n <= ALLOWED; n++) {
      statuses.push((await signIn(thiefWith(mark), `guess ${n}`)).status);
    }
    assert.equal(statuses.at(-2), 422);
    assert.equal(statuses.at(-1), 429);
  });
});

describe('guesses with a stolen session', () => {
  test('a stolen session has ten password guesses an hour over all forms and addresses', async () => {
    await using dashboard = await startDashboard();
    await dashboard.user(ADA);
    const owner = await dashboard.signIn({ email: ADA });
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
    const again = await dashboard.signIn({ email: ADA });
    assert.equal((await again.post('/settings/api-token', { password: PASSWORD })).status, 200);
  });
});

describe('a flood of guesses', () => {
  test('a flood of sign-ins gets 503 with Retry-After once the queue is full', async () => {
    await using dashboard = await startDashboard({}, { passwordWork: { costLog2: 15, passes: 1 } });
    await dashboard.user(ADA);
    // Each at an account of its own, so that only the line can turn them away.
    const flood = Array.from({ length: 60 }, (_, n) =>
      dashboard.visitor().post('/login', { email: `nobody${n}@x.test`, password: 'guess' }),
    );
    const answers = await Promise.all(flood);
    const busy = answers.filter(({ status }) => status === 503);
    assert.ok(busy.length > 0, 'none was turned away');
    for (const { headers, text } of busy) {
      assert.ok(Number(headers.get('Retry-After')) > 0);
      assert.match(text, /Belfry is busy/);
    }
    assert.ok(answers.every(({ status }) => status === 503 || status === 422));
    const visitor = dashboard.visitor();
    assert.equal((await signIn(visitor)).status, 302, 'afterwards it is as before');
  });
});
