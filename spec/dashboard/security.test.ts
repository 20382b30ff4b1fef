import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RouteConfigEntry } from '@react-router/dev/routes';
import routes from '#dashboard/routes';
import { before } from '#testing/hooks';
import { PASSWORD, type TestUser, useDashboard } from '#testing/dashboard';
import type { Visitor } from '#testing/visitor';

/** Attacks by outsiders, former colleagues and members with too few rights. */

let owner: TestUser;
let admin: TestUser;
let member: TestUser;
const EVIL = { Origin: 'https://evil.example' };
const MARKUP = `<img src=x onerror=alert(1)>"'&amp;`;

const dashboard = useDashboard();
before(async () => {
  owner = await dashboard.user('owner@bells.test');
  admin = await dashboard.user('admin@bells.test', { role: 'admin' });
  member = await dashboard.user('member@bells.test', { role: 'member' });
});

const actorOf = (user: TestUser, role: 'owner' | 'admin' | 'member') => ({
  userId: user.userId,
  teamId: user.teamId,
  role,
});

/** With `x` for each parameter, and without the page of unknown addresses. */
function pathsOf(entries: readonly RouteConfigEntry[], above = ''): string[] {
  return entries.flatMap(({ path, index, children = [] }) => {
    const here = path === undefined ? above : `${above}/${path.replaceAll(/:\w+/g, 'x')}`;
    const isPage = path !== undefined && path !== '*';
    return [...(isPage || index ? [here || '/'] : []), ...pathsOf(children, here)];
  });
}

describe('a form sent from another site', () => {
  const change = { intent: 'name', name: 'Mallory' };

  test('a form sent from another origin, a sandboxed frame, another port or a sibling site changes nothing', async () => {
    const visitor = await dashboard.signIn(owner);
    const origins = [
      EVIL.Origin,
      'null',
      'http://127.0.0.1:1',
      `${dashboard.url}.evil.example`,
      dashboard.url.replace('http:', 'https:'),
    ];
    const from: Record<string, string>[] = [
      ...origins.map((Origin) => ({ Origin, 'Sec-Fetch-Site': 'same-origin' })),
      ...['same-site', 'cross-site', 'none'].map((site) => ({ 'Sec-Fetch-Site': site })),
      {},
    ];
    for (const headers of from)
      for (const path of ['/settings/profile', '/settings/profile.data'])
        assert.equal((await visitor.post(path, change, headers)).status, 403);
    assert.doesNotMatch((await visitor.get('/settings/profile')).text, /Mallory/);
    const ours = { 'Sec-Fetch-Site': 'same-origin' };
    assert.equal((await visitor.post('/settings/profile', change, ours)).status, 302);
  });

  test('a form from another site is refused at the address of every page', async () => {
    const visitor = await dashboard.signIn(owner);
    const paths = pathsOf(routes);
    assert.ok(paths.length > 50);
    for (const path of paths)
      for (const each of [path, path === '/' ? '/_.data' : `${path}.data`])
        assert.equal((await visitor.post(each, change, EVIL)).status, 403, each);
  });

  test('following a link changes nothing', async () => {
    const visitor = await dashboard.signIn(owner);
    for (const path of ['/logout', '/teams/switch', '/settings/api-token', '/theme?theme=dark'])
      await visitor.get(path);
    assert.equal((await visitor.get('/settings/profile')).status, 200);
    assert.match((await visitor.get('/settings/api-token')).text, /Last used/);
  });
});

describe('the session', () => {
  test('each sign-in makes a new session secret', async () => {
    const visitor = dashboard.visitor();
    visitor.cookies.set('belfry.session_token', 'chosen-by-somebody-else.c2lnbmF0dXJl');
    await visitor.post('/login', { email: owner.email, password: PASSWORD });
    const first = visitor.cookies.get('belfry.session_token');
    assert.ok(first);
    assert.doesNotMatch(first, /chosen-by-somebody-else/);
    await visitor.post('/logout', {});
    await visitor.post('/login', { email: owner.email, password: PASSWORD });
    assert.notEqual(visitor.cookies.get('belfry.session_token'), first);
  });

  test('the session cookie is HttpOnly, SameSite and host-only', async () => {
    const answer = await dashboard
      .visitor()
      .post('/login', { email: owner.email, password: PASSWORD });
    const cookie = answer.setCookies.find((text) => text.startsWith('belfry.session')) ?? '';
    for (const part of [/; HttpOnly/i, /; SameSite=Lax/i, /; Path=\//i]) assert.match(cookie, part);
    assert.doesNotMatch(cookie, /Domain=/i);
  });

  test('signing out ends the session, also for a copied cookie', async () => {
    const visitor = await dashboard.signIn(owner);
    const thief = dashboard.visitor();
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value);
    assert.equal((await thief.get('/settings/profile')).status, 200);
    await visitor.post('/logout', {});
    assert.equal((await thief.get('/settings/profile')).status, 302);
  });

  test('a forged or truncated cookie is ignored', async () => {
    const visitor = await dashboard.signIn(owner);
    const real = visitor.cookies.get('belfry.session_token') ?? '';
    for (const forged of [real.slice(0, -3), `x${real}`, '%00']) {
      const thief = dashboard.visitor();
      thief.cookies.set('belfry.session_token', forged);
      const { headers } = await thief.get('/settings/profile');
      assert.equal(headers.get('Location'), '/login?next=%2Fsettings%2Fprofile');
    }
  });
});

describe('signing in', () => {
  test('a sign-in does not reveal which emails have accounts', async () => {
    const hide = ({ text }: { text: string }, email: string) =>
      text
        .replaceAll(email, '')
        .replaceAll(/nonce="[^"]*"|"nonce":"[^"]*"|[0-9a-f-]{36}|nonce\\?":\\?"[^"]*/g, '');
    const ask = async (path: string, email: string, form: Record<string, string>) => {
      const answer = await dashboard.visitor().post(path, { email, ...form });
      return [answer.status, hide(answer, email).length];
    };
    for (const [path, form] of [
      ['/login', { password: 'wrong password' }],
      ['/forgot-password', {}],
    ] as const) {
      assert.deepEqual(
        await ask(path, owner.email, form),
        await ask(path, 'nobuddy@bells.test', form),
      );
    }
  });

  test('signing in or out never redirects to another site, and percent-encodes odd characters', async () => {
    const odd = '\u00a0\uff0f\ufeff\u{1f514}\u0085\u2028';
    const visitor = await dashboard.signIn(owner);
    for (const [next, path] of [
      // Some forms have another place of their own than the overview.
      ['//evil.example', /^\/(?!\/)[a-z/]*$/],
      [`/jobs?q=${odd}`, RegExp(`^/jobs\\?q=${encodeURIComponent(odd)}$`)],
    ] as const) {
      const form = { email: owner.email, password: PASSWORD, next };
      const stay = await dashboard.signIn(owner);
      for (const answer of [
        await dashboard.visitor().post('/login', form),
        await visitor.get(`/login?next=${encodeURIComponent(next)}`),
        await visitor.post('/theme', { theme: 'dark', next }),
        await visitor.post('/maintenance', { intent: 'start', source: '', next }),
        await visitor.post('/jobs/progress', { intent: 'cancel', task: '', next }),
        await visitor.post('/teams/switch', { teamId: owner.teamId, next }),
        await stay.post(`/logout?next=${encodeURIComponent(next)}`, {}),
      ])
        assert.match(answer.headers.get('Location') ?? '', path);
    }
  });
});

describe('headers of a request', () => {
  test('Host and X-Forwarded-Host change no link and no check', async () => {
    const forged = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
    };
    const visitor = dashboard.visitor();
    const ours = { ...forged, Origin: dashboard.url };
    await visitor.post('/forgot-password', { email: owner.email }, ours);
    await dashboard.service.people.close();
    const mail = dashboard.events.findLast(({ event }) => event === 'mail.written-to-log');
    assert.ok(String(mail?.fields['link']).startsWith(`${dashboard.url}/reset-password/`));
    assert.doesNotMatch((await visitor.get('/login', forged)).text, /evil\.example/);
    const theirs = { ...forged, Origin: 'http://evil.example' };
    const form = { email: owner.email, password: PASSWORD };
    assert.equal((await visitor.post('/login', form, theirs)).status, 403);
  });

  test('every page forbids framing, sniffing, foreign scripts and caching', async () => {
    const visitor = await dashboard.signIn(owner);
    const nonces = new Set<string>();
    for (const path of ['/', '/login', '/settings/signing', '/nothing-here']) {
      const { headers } = await visitor.get(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      for (const rule of ['default-src', 'frame-ancestors', 'base-uri', 'object-src'])
        assert.ok(policy.includes(`${rule} 'none'`), rule);
      assert.match(policy, /script-src 'nonce-[\w+/=]{20,}'(;|$)/);
      assert.equal(headers.get('Referrer-Policy'), 'same-origin');
      assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
      assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(headers.get('Cache-Control'), 'no-store');
      assert.equal(headers.get('X-Powered-By'), null);
      nonces.add(/'nonce-([^']+)'/.exec(policy)?.[1] ?? '');
    }
    assert.equal(nonces.size, 4);
  });
});

describe('roles', () => {
  test("a forbidden action can't be sent without its page", async () => {
    const visitor = await dashboard.signIn(member);
    for (const [path, form] of [
      ['/settings/members', { intent: 'make-admin', id: member.userId }],
      ['/settings/members', { intent: 'invite', email: 'x@bells.test', role: 'admin' }],
      ['/settings/service-accounts', { intent: 'create', name: 'x' }],
      ['/settings/notifications/default', { intent: 'save', kind: 'email' }],
      ['/settings/notifications/default', { intent: 'test', kind: 'email' }],
      ['/settings/notifications/default', { intent: 'resend', address: 'x' }],
      ['/settings/notifications/new', { intent: 'save', kind: 'email' }],
      ['/settings/signing', { intent: 'generate' }],
      ['/settings/signing', { intent: 'reveal' }],
      ['/settings/signing', { intent: 'reveal-next' }],
      ['/settings/team', { intent: 'rename', name: 'Mine' }],
      ['/settings/team', { intent: 'delete', name: 'Bells' }],
    ] as const) {
      assert.equal((await visitor.post(path, form)).status, 403, `${path} ${form.intent}`);
    }
    const second = await dashboard.signIn(admin);
    for (const [path, form] of [
      ['/settings/members', { intent: 'transfer', id: admin.userId }],
      ['/settings/team', { intent: 'delete', name: 'Bells' }],
    ] as const) {
      assert.equal((await second.post(path, form)).status, 403, `${path} ${form.intent}`);
    }
  });

  test('a changed role applies to open sessions at once', async () => {
    const boss = actorOf(owner, 'owner');
    const visitor = await dashboard.signIn(admin);
    assert.equal((await visitor.get('/settings/signing')).status, 200);
    await dashboard.service.people.teams.changeRole(boss, admin.userId, 'member');
    assert.equal((await visitor.get('/settings/signing')).status, 403);
    assert.equal((await visitor.post('/settings/signing', { intent: 'reveal' })).status, 403);
    await dashboard.service.people.teams.changeRole(boss, admin.userId, 'admin');
    assert.equal((await visitor.get('/settings/signing')).status, 200);
  });
});

describe('secrets and markup', () => {
  const readEverything = async (visitor: Visitor, paths: readonly string[]) => {
    const answers = await Promise.all(
      paths.flatMap((path) => [
        visitor.get(path),
        visitor.get(`${path === '/' ? '/_root' : path}.data`),
      ]),
    );
    return answers.map(({ text }) => text).join('\n');
  };
  const all = [
    '/',
    '/settings/profile',
    '/settings/api-token',
    '/settings/team',
    '/settings/members',
    '/settings/service-accounts',
    '/settings/signing',
    '/settings/billing',
    '/settings/activity',
    '/teams/new',
  ];

  test('secrets are on no page until a permitted user requests them', async () => {
    const secret = await dashboard.service.people.signing.generateSigningSecret(
      actorOf(owner, 'owner'),
    );
    for (const user of [owner, admin, member]) {
      const text = await readEverything(await dashboard.signIn(user), all);
      assert.ok(!text.includes(secret), `${user.email} is shown the signing secret`);
      assert.ok(!text.includes(user.apiToken), `${user.email} is shown the API token`);
    }
    const visitor = await dashboard.signIn(admin);
    assert.ok(
      (await visitor.post('/settings/signing', { intent: 'reveal' })).text.includes(secret),
    );
  });

  test('markup in names of people and teams is shown as text', async () => {
    const made = await dashboard.user('markup@names.test', { team: 'Names' });
    const visitor = await dashboard.signIn(made);
    await visitor.post('/settings/profile', { intent: 'name', name: MARKUP });
    await visitor.post('/settings/team', { intent: 'rename', name: MARKUP });
    const form = { intent: 'invite', email: '', role: 'member' };
    const link = await visitor.post('/settings/members', form);
    const invitation = /\/invitations\/[\w-]+/.exec(link.text)?.[0] ?? '';
    const offered = await dashboard.visitor().get(invitation);
    const named = all.filter((path) => path !== '/teams/new');
    const pages = await Promise.all(named.map((path) => visitor.get(path)));
    for (const { text } of [offered, ...pages]) {
      assert.ok(text.includes('&lt;img src=x'), 'the name is shown');
      assert.ok(!text.includes('<img src=x'), 'as markup');
    }
  });

  test('an error page has a number and no internals', async () => {
    const visitor = await dashboard.signIn(owner);
    for (const path of [
      '/%E0%A4%A',
      '/settings/nothing',
      '/settings/profile?index',
      '/crons/%00',
    ]) {
      const { text } = await visitor.get(path);
      assert.doesNotMatch(text, /node_modules|\.tsx?:\d|at \w+ \(/);
    }
  });
});

test('a form with an unknown intent changes nothing', async () => {
  const visitor = await dashboard.signIn(owner);
  const { activity, users } = dashboard.service.store;
  const read = async () => [
    await activity.list(owner.teamId, { limit: 100 }),
    await users.findWithTeams(owner.userId),
  ];
  const before = await read();
  for (const intent of ['__proto__', 'constructor', ''])
    for (const page of ['profile', 'team', 'members', 'signing']) {
      const { status } = await visitor.post(`/settings/${page}`, { intent });
      assert.ok(status >= 300 && status < 500, `${page} ${intent}: ${status}`);
    }
  assert.deepEqual(await read(), before);
});
