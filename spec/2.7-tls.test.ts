/** §2.7, network rule 2, with the service as a process: whom it trusts comes from its environment. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createAuthority,
  createSelfSigned,
  type Credentials,
  expired,
  type TestAuthority,
} from '#testing/certificates';
import { startDnsServer } from '#testing/dns-server';
import { before, useStarted } from '#testing/hooks';
import { startBelfry } from '#testing/process';
import { type Client, makeClient, postJob, setQueue } from '#testing/remote';
import { startRawReceiver } from '#testing/raw-receiver';
import { ONLY_TLS_1_1, startReceiver, startTlsReceiver } from '#testing/receiver';

let authority: TestAuthority;
let client: Client;
const dns = useStarted(startDnsServer);
const proxy = useStarted(startReceiver);
const callbacks = useStarted(startReceiver);
const belfry = useStarted(async () => {
  authority = await createAuthority();
  const everyProxy = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];
  return startBelfry({
    env: {
      DNS_SERVERS: dns.address,
      NODE_EXTRA_CA_CERTS: authority.certFile,
      // Neither may weaken or redirect anything.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(everyProxy.map((name) => [name, proxy.url])),
    },
  });
});

before(async () => {
  for (const name of ['good.test', 'other.test', 'a.wild.test']) dns.answer(name, ['127.0.0.1']);
  client = await makeClient(belfry);
  await setQueue(belfry, 'emails', '--retries', 'off');
});

let count = 0;

/** Runs a job and gives what its callback says of it. */
async function outcomeOf(url: string, headers: Record<string, string> = {}) {
  const path = `/${count++}`;
  await postJob(client, { url, headers, callback_url: callbacks.url + path });
  const { body } = await callbacks.next((request) => request.url === path);
  const { status, response_status, error_message } = JSON.parse(String(body)) as {
    status: string;
    response_status: number | null;
    error_message: string | null;
  };
  return { status, response_status, error_message };
}

async function refusalBy(credentials: Credentials, options: object = {}, host = 'good.test') {
  await using target = await startTlsReceiver({ tls: { ...credentials, ...options } });
  const outcome = await outcomeOf(`https://${host}:${target.port}/`);
  assert.equal(target.requests.length, 0, 'nothing is sent');
  assert.equal(outcome.status, 'dead_lettered');
  assert.equal(outcome.response_status, null);
  return outcome.error_message;
}

const SUCCESS = { status: 'success', response_status: 200, error_message: null };

describe('TLS certificates are verified, and TLS 1.2 or newer is required', () => {
  test('a target with a certificate of a trusted authority is called, over TLS 1.2 and 1.3', async () => {
    const credentials = await authority.issue({ hosts: ['good.test', '*.wild.test', '127.0.0.1'] });
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const tls = { ...credentials, minVersion: version, maxVersion: version };
      await using target = await startTlsReceiver({ tls });
      for (const host of ['good.test', 'a.wild.test', '127.0.0.1']) {
        assert.deepEqual(await outcomeOf(`https://${host}:${target.port}/`), SUCCESS, host);
      }
    }
  });

  test('a certificate that is self-signed, untrusted, expired or not yet valid is a connection error', async () => {
    const hosts = ['good.test'];
    const untrusted = await createAuthority('Untrusted');
    const notBefore = new Date(Date.now() + 86_400_000);
    for (const [credentials, text] of [
      [await createSelfSigned({ hosts }), 'is self-signed'],
      [await untrusted.issue({ hosts }), 'cannot be verified'],
      [await authority.issue(expired({ hosts })), 'has expired'],
      [await authority.issue({ hosts, notBefore }), 'is not yet valid'],
    ] as const)
      assert.equal(await refusalBy(credentials), `Connection error: TLS certificate ${text}`);
  });

  test('a certificate for another host is a connection error, also with a Host header', async () => {
    const text = 'Connection error: TLS certificate is for another host';
    const credentials = await authority.issue({ hosts: ['other.test'] });
    assert.equal(await refusalBy(credentials), text);
    assert.equal(await refusalBy(credentials, {}, '127.0.0.1'), text);
    await using target = await startTlsReceiver({ tls: credentials });
    const outcome = await outcomeOf(`https://good.test:${target.port}/`, { Host: 'other.test' });
    assert.equal(outcome.error_message, text);
    assert.equal(target.requests.length, 0);
  });

  test('a target that offers TLS 1.1 is a connection error', async () => {
    const credentials = await authority.issue({ hosts: ['good.test'] });
    const text = 'Connection error: TLS 1.2 or newer is required';
    assert.equal(await refusalBy(credentials, ONLY_TLS_1_1), text);
  });

  test('a target that answers HTTPS with plain HTTP is a connection error', async () => {
    await using target = await startRawReceiver(async (connection) => {
      await connection.untilBytes(1);
      await connection.send('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
    });
    const outcome = await outcomeOf(target.url.replace('http:', 'https:'));
    assert.equal(outcome.error_message, 'Connection error: the other side does not speak TLS');
  });

  test('http:// URLs work, and proxies of the environment are ignored', async () => {
    await using target = await startReceiver();
    assert.deepEqual(await outcomeOf(`http://good.test:${target.port}/`), SUCCESS);
    assert.equal(proxy.requests.length, 0);
  });
});
