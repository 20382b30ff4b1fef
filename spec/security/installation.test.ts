import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { startDashboard } from '#testing/dashboard';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { readFinding } from '#testing/remote';
import { Visitor } from '#testing/visitor';

/** Somebody else finds a service that was just started, or one behind a proxy that it knows nothing of. */

const ACCOUNT = {
  name: 'Mallory',
  email: 'mallory@evil.test',
  password: 'correct horse battery',
  team: 'Mine',
};
const ON_LOCALHOST = { sends: false, host: 'localhost' } as const;

/** Forms come from the public address, which is localhost where BASE_URL is not set. */
const visitorOf = ({ url }: BelfryProcess) => {
  const { port } = new URL(url);
  return new Visitor(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
};

describe('the setup code', () => {
  test('behind a proxy the first account needs the code from the log or the command line', async () => {
    await using belfry = await startBelfry({ env: { HOST: '0.0.0.0', TRUSTED_PROXIES: '1' } });
    const line = await belfry.line(/with the code/);
    const code = /with the code ([\w-]+)/.exec(line)?.[1] ?? '';
    const { json } = await belfry.cli('setup-code');
    assert.deepEqual(json, { setupCode: code });
    const signedOut = visitorOf(belfry);
    const page = await signedOut.get('/setup');
    assert.match(page.text, /name="code"/);
    assert.ok(!page.text.includes(code));
    for (const wrong of [{}, { code: '' }, { code: `${code.slice(0, -1)}!` }]) {
      const answer = await signedOut.post('/setup', { ...ACCOUNT, ...wrong });
      assert.equal(answer.status, 422);
      assert.match(answer.text, /This is not the code/);
      assert.ok(answer.text.includes('value="Mine"'), 'what was typed stays');
    }
    assert.equal((await signedOut.post('/setup', { ...ACCOUNT, code })).status, 429, 'no guessing');
    const typed = code.toLowerCase().replaceAll('-', ' ');
    const owner = visitorOf(belfry);
    assert.equal((await owner.post('/setup', { ...ACCOUNT, code: typed })).status, 302);
    assert.equal((await owner.get('/settings/profile')).status, 200);
    const again = await belfry.cli('setup-code');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /there is an account already/);
  });

  test('on loopback the first account needs the code only for a forwarded request or another host name', async () => {
    await using dashboard = await startDashboard({ TRUSTED_PROXIES: '0' }, ON_LOCALHOST);
    for (const headers of [
      { 'X-Forwarded-For': '203.0.113.9' },
      { 'X-Forwarded-Proto': 'https' },
      { Forwarded: 'for=203.0.113.9' },
      { Via: '1.1 proxy' },
      { 'CF-Connecting-IP': '203.0.113.9' },
      { Host: 'belfry.example.com' },
      { Host: 'localhost.evil.example' },
    ]) {
      const what = JSON.stringify(headers);
      assert.match((await ask(dashboard, 'GET', headers)).text, /name="code"/, what);
      const { status, text } = await ask(dashboard, 'POST', headers);
      // Three wrong guesses in ten seconds are allowed.
      assert.ok(status === 422 || status === 429, `${what} ${status}`);
      if (status === 422) assert.match(text, /This is not the code/);
    }
    assert.doesNotMatch((await ask(dashboard, 'GET')).text, /name="code"/);
    assert.equal((await ask(dashboard, 'POST')).status, 302, 'none of them made the account');
  });

  const signIn = { PROXY_SIGN_IN_HEADER: 'Remote-Email', PROXY_SIGN_IN_FROM: '127.0.0.1' };
  for (const env of [
    { TRUSTED_PROXIES: '1' },
    { TRUSTED_PROXIES: '0', BASE_URL: 'https://belfry.example' },
    { TRUSTED_PROXIES: '0', ...signIn },
  ]) {
    test(`the first account always needs the code with ${Object.keys(env).at(-1)}`, async () => {
      await using dashboard = await startDashboard(env, ON_LOCALHOST);
      const code = (await dashboard.service.people.operator.setupCode()) ?? '';
      assert.match((await ask(dashboard, 'GET')).text, /name="code"/);
      const origin = env.BASE_URL ?? `http://localhost:${new URL(dashboard.url).port}`;
      const post = (form = {}) => ask(dashboard, 'POST', { Origin: origin }, form);
      assert.equal((await post()).status, 422);
      assert.equal((await post({ code })).status, 302);
    });
  }
});

/** Asks for the page, or sends its form, with no header of a proxy unless one is given. */
async function ask(
  { url }: { url: string },
  method: 'GET' | 'POST',
  headers: Record<string, string> = {},
  form: Record<string, string> = {},
) {
  const { port } = new URL(url);
  const request = http.request({ host: '127.0.0.1', port, path: '/setup', method });
  const sent = {
    Host: `localhost:${port}`,
    Origin: `http://localhost:${port}`,
    'Content-Type': 'application/x-www-form-urlencoded',
    ...headers,
  };
  for (const [name, value] of Object.entries(sent)) request.setHeader(name, value);
  request.end(method === 'POST' ? new URLSearchParams({ ...ACCOUNT, ...form }).toString() : '');
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: answer.statusCode ?? 0, text: await readText(answer) };
}

describe('a proxy that is not configured', () => {
  test('an unexpected X-Forwarded-For is logged once and reported by doctor and the next start', async () => {
    await using belfry = await startBelfry();
    const proxies = () => readFinding(belfry, 'proxies');
    assert.equal((await proxies())?.status, 'ok');
    await fetch(`${belfry.url}/healthz`);
    assert.ok(!belfry.output.some((line) => line.includes('proxy.not-trusted')));
    for (let n = 0; n < 3; n++) {
      await fetch(`${belfry.url}/healthz`, { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    }
    const line = await belfry.line(/proxy\.not-trusted/);
    assert.match(line, /TRUSTED_PROXIES/);
    assert.ok(!line.includes('203.0.113.9'));
    const warnings = belfry.output.filter((text) => text.includes('proxy.not-trusted'));
    assert.equal(warnings.length, 1, 'once');
    // It is stored behind the answer, which does not wait for it.
    const found = await eventually(async () => {
      const { status, message } = (await proxies()) ?? {};
      return status === 'warn' && message;
    });
    assert.match(found, /X-Forwarded-For/i);
    await belfry.stop();
    await using again = await belfry.restart();
    await again.line(/proxy\.not-trusted/);
    await again.stop();
    const believed = { PROXY_SIGN_IN_HEADER: 'Remote-Email', PROXY_SIGN_IN_FROM: '192.0.2.1' };
    await using signing = await again.restart({ TRUSTED_PROXIES: '1', ...believed });
    await fetch(`${signing.url}/`, {
      headers: { 'X-Forwarded-For': '203.0.113.9', 'remote-email': 'ada@bells.test' },
    });
    const strange = await signing.line(/proxy\.sign-in-not-trusted/);
    assert.ok(!strange.includes('ada@bells.test'));
    assert.ok(!signing.output.some((text) => text.includes('proxy.not-trusted')));
    const signIn = await readFinding(signing, 'sign-in');
    assert.match(
      String(signIn?.message),
      /remote-email from \S*127\.0\.0\.1, and PROXY_SIGN_IN_FROM/,
    );
  });
});
