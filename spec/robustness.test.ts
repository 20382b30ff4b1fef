/** §2.7: nothing that a target, a header, a URL or a payload does ends more than its own run, or fills memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { anyText } from '#testing/any-text';
import { hostOfUrl } from '#domain/http/network';
import { startDnsServer } from '#testing/dns-server';
import { before, useStarted } from '#testing/hooks';
import { readMetric } from '#testing/metrics';
import { eventually, startBelfry } from '#testing/process';
import { type RawReceiver, startRawReceiver } from '#testing/raw-receiver';
import { startReceiver } from '#testing/receiver';
import { type Client, makeClient, postJob, setQueue } from '#testing/remote';

const dns = useStarted(startDnsServer);
const target = useStarted(startReceiver);
const belfry = useStarted(() =>
  startBelfry({
    env: {
      DNS_SERVERS: dns.address,
      ALLOWED_NETWORKS: '127.0.0.1/32',
      PLANS: 'unlimited=unlimited',
      LOG_LEVEL: 'warn',
    },
  }),
);
let client: Client;

before(async () => {
  client = await makeClient(belfry);
  const assertions = JSON.stringify([
    { kind: 'body_contains', text: 'never' },
    { kind: 'json_path_equals', path: 'a[0]', expected: '1' },
  ]);
  await setQueue(belfry, 'odd', '--retries', 'off', '--timeout', '1', '--assert', assertions);
});

async function assertAlive(): Promise<void> {
  for (const path of ['/plain-1', '/plain-2']) {
    const callback_url = `${target.url}${path}/callback`;
    const job = { queue: 'plain', url: target.url + path, payload: { a: 1 }, callback_url };
    await postJob(client, job);
    const { body } = await target.next(({ url }) => url === path);
    assert.equal(String(body), '{"a":1}');
    const callback = await target.next(({ url }) => url === `${path}/callback`);
    assert.match(String(callback.body), /"status":"success"/);
  }
  const faults = belfry.output.filter((line) => /uncaught|unhandled|run-failed/i.test(line));
  assert.deepEqual(faults, []);
  assert.equal((await fetch(`${belfry.url}/healthz`)).status, 200);
}

const figure = (name: string) => readMetric(belfry.url, name);

/** Pieces of answers, good and bad, that a target puts together in any order. */
const PIECES: readonly (string | Buffer)[] = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.0 204 \r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 101 Up\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
  'HTTP/1.1 099 Low\r\n\r\n',
  'HTTP/1.1 999 High\r\n\r\n',
  'HTTP/2 200\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Encoding: br\r\n',
  'Content-Encoding: deflate\r\n',
  'Connection: close\r\n',
  'Keep-Alive: timeout=-1, max=x\r\n',
  'Location: http://127.0.0.1:1/\r\n',
  'Set-Cookie: a=b\r\n',
  '__proto__: x\r\n',
  'A\0: b\r\n',
  ': v\r\n',
  ' folded\r\n',
  '\r\n',
  '5;ext="\r\n',
  '5\r\nhello\r\n',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  Buffer.from([0, 255, 254, 10, 13]),
  zlib.gzipSync('{"a":[1],"b":"never"}'),
  'x'.repeat(70_000),
  '[['.repeat(20_000),
];

interface OddAnswer {
  pieces: readonly (string | Buffer)[];
  end: 'end' | 'reset';
}

const oddAnswers: fc.Arbitrary<OddAnswer> = fc.record({
  pieces: fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }),
  end: fc.constantFrom('end' as const, 'reset' as const),
});

/** A target each of whose connections answers oddly, in its own way. */
async function startOddTarget(answers: readonly OddAnswer[]): Promise<RawReceiver> {
  return startRawReceiver(async (connection, index) => {
    const { pieces, end } = answers[index % answers.length] ?? { pieces: [], end: 'reset' };
    await connection.until();
    for (const piece of pieces) {
      await connection.send(piece);
      if (index % 2 === 0) await nextTurn();
    }
    connection[end]();
  });
}

const text = anyText({ maxLength: 16 });
/** Mostly valid input, because what is rejected by the API tests nothing about sending. */
const written = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.stringMatching(/^[!-~\u00a1-\u024f\u3041-\u3096\u{1f600}-\u{1f640}]{0,16}$/u),
  },
  { weight: 1, arbitrary: text },
);
const headerName = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'Host',
      'host',
      'Content-Type',
      'Cookie',
      'constructor',
      '__proto__',
    ),
  },
  { weight: 12, arbitrary: fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,9}$/) },
  { weight: 1, arbitrary: fc.oneof(text, fc.constantFrom('Expect', 'Content-Length')) },
);
const headerValue = fc.oneof(
  { weight: 12, arbitrary: fc.stringMatching(/^[\t -~\u0080-\u00ff]{0,20}$/) },
  { weight: 2, arbitrary: fc.constantFrom('', ' ', '\t', 'x'.repeat(5_000)) },
  { weight: 1, arbitrary: text },
);
const oddHeaders = fc.dictionary(headerName, headerValue, { maxKeys: 3 });
const oddPayload = fc.option(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 3 }), {
  freq: 3,
});

/** URLs to the odd target, and to names that lead nowhere; none that spells an address elsewhere. */
function oddUrls(base: string): fc.Arbitrary<string> {
  const odd = ['http://[::1]/', 'https://0x7f.1:1/', 'http://a..b/', base.replace('http', 'https')];
  return fc
    .oneof(
      { weight: 12, arbitrary: written.map((path) => `${base}/${path}`) },
      { weight: 4, arbitrary: written.map((query) => `${base}?${query}#${query}`) },
      { weight: 1, arbitrary: written.map((host) => `http://${host}.test/`) },
      { weight: 2, arbitrary: fc.constantFrom(...odd) },
      { weight: 1, arbitrary: text },
    )
    .filter((url) => {
      const parsed = URL.parse(url);
      const host = parsed && hostOfUrl(parsed);
      return host?.kind !== 'ipv4' || host.address === '127.0.0.1';
    });
}

test('a thousand odd URLs, headers, payloads and responses fail only their own runs', async () => {
  await using odd = await startOddTarget(fc.sample(oddAnswers, 500));
  const url = oddUrls(odd.url);
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE');
  const callback_url = fc.option(url, { freq: 4, nil: undefined });
  const parts = { url, method, headers: oddHeaders, payload: oddPayload, callback_url };
  const bodies = fc.sample(fc.record({ queue: fc.constant('odd'), ...parts }), 1_200);
  let accepted = 0;
  const postAll = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const { status, text } = await client.post('/api/jobs', body);
      assert.ok(status === 201 || status === 422, `${status} ${text} to ${JSON.stringify(body)}`);
      if (status === 201) accepted++;
    }
  };
  await Promise.all(Array.from({ length: 128 }, postAll));
  assert.ok(accepted > 700, `${accepted} are accepted and sent`);
  await eventually(async () => (await figure('belfry_runs_total')) === accepted);
  await assertAlive();
});
