import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { Visitor } from '#testing/visitor';

/** Somebody else finds a service that was just started, or one behind a proxy that it knows nothing of. */

const ACCOUNT = {
  name: 'Mallory',
  email: 'mallory@evil.test',
  password: 'correct horse battery',
  team: 'Mine',
};
/** Forms come from the public address, which is localhost where BASE_URL is not set. */
const visitorOf = ({ url }: BelfryProcess) => {
  const { port } = new URL(url);
  return new Visitor(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
};

describe('the first account', () => {
  test('of a service that others reach takes the code that its log and command line show', async () => {
    await using belfry = await startBelfry({ env: { HOST: '0.0.0.0', TRUSTED_PROXIES: '1' } });
    const line = await belfry.line(/with the code/);
    const code = /with the code ([\w-]+)/.exec(line)?.[1] ?? '';
    const { json } = await belfry.cli('setup-code');
    assert.deepEqual(json, { setupCode: code });
    const stranger = visitorOf(belfry);
    const page = await stranger.get('/setup');
    assert.match(page.text, /name="code"/);
    assert.ok(!page.text.includes(code));
    for (const wrong of [{}, { code: '' }, { code: `${code.slice(0, -1)}!` }]) {
      const answer = await stranger.post('/setup', { ...ACCOUNT, ...wrong });
      assert.equal(answer.status, 422);
      assert.match(answer.text, /This is not the code/);
      assert.ok(answer.text.includes('value="Mine"'), 'what was typed stays');
    }
    assert.equal((await stranger.post('/setup', { ...ACCOUNT, code })).status, 429, 'no guessing');
    const typed = code.toLowerCase().replaceAll('-', ' ');
    const owner = visitorOf(belfry);
    assert.equal((await owner.post('/setup', { ...ACCOUNT, code: typed })).status, 302);
    assert.equal((await owner.get('/settings/profile')).status, 200);
  });

  for (const [what, env, asks] of [
    ['on loopback asks for none', {}, false],
    [
      'behind a proxy on the same machine asks for it',
      { BASE_URL: 'https://belfry.example' },
      true,
    ],
  ] as const) {
    test(what, async () => {
      await using belfry = await startBelfry({ env });
      const page = await visitorOf(belfry).get('/setup');
      assert.equal(/name="code"/.test(page.text), asks);
      assert.equal(
        belfry.output.some((line) => line.includes('with the code')),
        asks,
      );
      if (asks) return;
      const made = await visitorOf(belfry).post('/setup', ACCOUNT);
      assert.equal(made.status, 302);
      const { code, stderr } = await belfry.cli('setup-code');
      assert.equal(code, 1);
      assert.match(stderr, /there is an account already/);
    });
  }
});

describe('a proxy that no setting knows of', () => {
  for (const header of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'CF-Connecting-IP']) {
    test(`is told in the log at the first ${header}, by the doctor and at the next start`, async () => {
      await using belfry = await startBelfry();
      const proxies = async () => {
        const { json } = await belfry.cli('doctor');
        return (json as { check: string; status: string; message: string }[]).find(
          ({ check }) => check === 'proxies',
        );
      };
      assert.equal((await proxies())?.status, 'ok');
      await fetch(`${belfry.url}/healthz`);
      assert.ok(!belfry.output.some((line) => line.includes('proxy.not-trusted')));
      for (let n = 0; n < 3; n++) {
        await fetch(`${belfry.url}/healthz`, { headers: { [header]: '203.0.113.9' } });
      }
      const line = await belfry.line(/proxy\.not-trusted/);
      assert.match(line, /TRUSTED_PROXIES/);
      assert.ok(!line.includes('203.0.113.9'));
      const told = belfry.output.filter((text) => text.includes('proxy.not-trusted'));
      assert.equal(told.length, 1, 'once');
      // It is stored behind the answer, which does not wait for it.
      const found = await eventually(async () => {
        const { status, message } = (await proxies()) ?? {};
        return status === 'warn' && message;
      });
      assert.match(found, new RegExp(header, 'i'));
      if (header !== 'X-Forwarded-For') return;
      await belfry.stop();
      await using again = await belfry.restart();
      await again.line(/proxy\.not-trusted/);
      await again.stop();
      await using set = await again.restart({ TRUSTED_PROXIES: '1' });
      await fetch(`${set.url}/healthz`, { headers: { [header]: '203.0.113.9' } });
      assert.ok(!set.output.some((text) => text.includes('proxy.not-trusted')));
      await set.stop();
      const believed = { PROXY_SIGN_IN_HEADER: 'Remote-Email', PROXY_SIGN_IN_FROM: '192.0.2.1' };
      await using signing = await set.restart({ TRUSTED_PROXIES: '1', ...believed });
      await fetch(`${signing.url}/`, { headers: { 'remote-email': 'ada@bells.test' } });
      const strange = await signing.line(/proxy\.sign-in-not-trusted/);
      assert.ok(!strange.includes('ada@bells.test'));
      const { json } = await signing.cli('doctor');
      const signIn = (json as { check: string; message: string }[]).find(
        ({ check }) => check === 'sign-in',
      );
      assert.match(
        signIn?.message ?? '',
        /remote-email from \S*127\.0\.0\.1, and PROXY_SIGN_IN_FROM/,
      );
    });
  }
});
