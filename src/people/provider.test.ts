import assert from 'node:assert/strict';
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type webcrypto,
} from 'node:crypto';
import { test } from 'node:test';
import { startHttpServer } from '#testing/http-server';
import { startProvider } from '#testing/provider';
import { Provider, type ProviderAttempt } from './provider.ts';

const BASE_URL = 'http://127.0.0.1:1/belfry';

function clientOf(issuer: string): Provider {
  const settings = {
    issuer,
    clientId: 'belfry',
    clientSecret: 'a-secret-between-the-two',
    name: 'Bell House',
    scopes: 'openid email profile',
    groupsClaim: 'groups',
  };
  return new Provider(settings, BASE_URL, Date.now);
}

const ADA = { sub: 'ada', email: 'ada@bells.test', email_verified: true };
const refused = { name: 'ProviderFault', code: 'PROVIDER_REFUSED' };

/** A provider, and a sign-in there as its current person. */
async function startSignIns(options: Parameters<typeof startProvider>[0] = {}) {
  const at = await startProvider(options);
  at.expect(BASE_URL);
  at.person = ADA;
  const client = clientOf(at.issuer);
  const begin = async () => {
    const { url, attempt } = await client.begin(false);
    return { search: new URL(await at.visit(url)).search, attempt };
  };
  const finish = async (forged: Partial<ProviderAttempt> = {}) => {
    const { search, attempt } = await begin();
    return client.finish(search, { ...attempt, ...forged });
  };
  return { at, client, begin, finish, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

test('an ID token for another nonce and a code for another verifier are rejected', async () => {
  await using signIns = await startSignIns();
  const { at, finish } = signIns;
  at.person = { ...ADA, name: 'Ada' };
  await assert.rejects(finish({ nonce: 'that-of-somebody-else' }), refused);
  await assert.rejects(finish({ verifier: 'v'.repeat(43) }), refused);
  await assert.rejects(finish({ state: 's'.repeat(43) }), refused);
  assert.deepEqual(await finish({}), {
    subject: 'ada',
    verifiedEmail: 'ada@bells.test',
    name: 'Ada',
    groups: null,
  });
});

test('an ID token with a forged signature is rejected', async () => {
  await using signIns = await startSignIns();
  const { at, finish } = signIns;
  const published = (await (await fetch(`${at.issuer}/jwks`)).json()) as {
    keys: webcrypto.JsonWebKey[];
  };
  const [jwk] = published.keys;
  assert.ok(jwk);
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const signed = (token: string, alg: string, sign: (text: string) => string) => {
    const [head = '', claims = ''] = token.split('.');
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object;
    const text = `${encode(JSON.stringify({ ...header, alg }))}.${claims}`;
    return `${text}.${sign(text)}`;
  };
  const hmac = (key: string | Buffer) => (text: string) =>
    createHmac('sha256', key).update(text).digest('base64url');
  const forgeries: Record<string, (token: string) => string> = {
    none: (token) => signed(token, 'none', () => ''),
    'HS256 with the client’s secret': (token) =>
      signed(token, 'HS256', hmac('a-secret-between-the-two')),
    'HS256 with the public key': (token) => signed(token, 'HS256', hmac(pem)),
    'RS256 by a foreign key': (token) =>
      signed(token, 'RS256', (text) =>
        sign('sha256', Buffer.from(text), foreign).toString('base64url'),
      ),
    'a cut signature': (token) => token.slice(0, -20),
    'another claim': (token) => {
      const [head = '', claims = '', signature = ''] = token.split('.');
      const said = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
      return `${head}.${encode(JSON.stringify({ ...said, name: 'Eve' }))}.${signature}`;
    },
  };
  for (const [what, forge] of Object.entries(forgeries)) {
    at.forge = forge;
    await assert.rejects(finish(), refused, what);
  }
  at.forge = (token) => token;
  assert.equal((await finish()).subject, 'ada');
});

const encode = (text: string) => Buffer.from(text).toString('base64url');

test('groups are read from the userinfo endpoint or the ID token', async () => {
  for (const hasUserInfo of [true, false]) {
    await using signIns = await startSignIns({ hasUserInfo });
    signIns.at.person = { ...ADA, groups: ['ops', 'a'] };
    const { groups, verifiedEmail } = await signIns.finish();
    assert.deepEqual([groups, verifiedEmail], [['a', 'ops'], 'ada@bells.test']);
  }
});

test('a provider with another issuer or an endless response is rejected', async () => {
  const answers: Record<string, string> = {};
  await using server = await startHttpServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(answers[(request.url ?? '').split('/')[1] ?? '']);
  });
  answers['other'] = JSON.stringify({ issuer: 'https://other.example' });
  answers['endless'] = JSON.stringify({ issuer: `${server.url}/endless`, x: 'x'.repeat(2 ** 20) });
  const away = { name: 'ProviderFault', code: 'PROVIDER_AWAY' };
  for (const path of ['other', 'endless', 'nothing'])
    await assert.rejects(clientOf(`${server.url}/${path}`).begin(false), away, path);
});

test('an HTTP 5xx of the provider counts as an unreachable provider and names the status', async () => {
  await using signIns = await startSignIns();
  const { at, client, begin } = signIns;
  for (const path of ['/token', '/me']) {
    const { search, attempt } = await begin();
    at.broken = path;
    await assert.rejects(client.finish(search, attempt), (fault: Error) => {
      assert.equal(Object(fault).code, 'PROVIDER_AWAY', path);
      assert.match(String(Object(fault.cause).cause), /502/);
      return true;
    });
    at.broken = null;
  }
});

test('an email counts as verified only if the claim is about this email', async () => {
  await using signIns = await startSignIns({ repeatsClaims: true });
  const { at, finish } = signIns;
  at.inToken = ADA;
  for (const [person, verifiedEmail] of [
    [{ sub: 'ada', email: 'victim@bells.test' }, null],
    [{ sub: 'ada', email: ADA.email }, ADA.email],
    [{ sub: 'ada' }, ADA.email],
  ] as const) {
    at.person = person;
    assert.equal((await finish()).verifiedEmail, verifiedEmail);
  }
});
