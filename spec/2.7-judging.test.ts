/** §2.7: how a response is judged and where a request may go, as it is recorded; §2.11. */
import assert from 'node:assert/strict';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DnsAnswer, startDnsServer } from '#testing/dns-server';
import { before, useStarted } from '#testing/hooks';
import { eventually } from '#testing/process';
import { type RawConnection, startRawReceiver } from '#testing/raw-receiver';
import { startReceiver } from '#testing/receiver';
import { jobEnd, makeOnceQueue, postJob, runCron, runJob } from '#testing/runs';
import { executionsOf, scheduleCron, setQueue } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const dns = useStarted(startDnsServer);
const target = useStarted(startReceiver);
const service = useStarted(() =>
  startService(openSqliteTestStore, {
    env: { ALLOWED_NETWORKS: '127.0.0.1/32', DNS_SERVERS: dns.address },
  }),
);
before(() => makeOnceQueue(service));

interface Outcome {
  status: string;
  reason: string | null;
  errorMessage: string | null;
  responseStatus: number | null;
}

/** What is recorded of a run, without what differs from run to run. */
function outcomeOf({ status, reason, errorMessage, responseStatus }: Outcome): Outcome {
  return { status, reason, errorMessage, responseStatus };
}

/** The outcome of a failed job, which was the last attempt, and of a failed execution. */
function failed(reason: string | null, errorMessage: string | null, responseStatus: number | null) {
  return {
    job: { status: 'dead_lettered', reason, errorMessage, responseStatus },
    run: { status: 'failed', reason, errorMessage, responseStatus },
  };
}

async function assertFails(
  url: string,
  reason: string | null,
  errorMessage: string | null,
  responseStatus: number | null = null,
): Promise<void> {
  const expected = failed(reason, errorMessage, responseStatus);
  assert.deepEqual(outcomeOf(await runJob(service, { url })), expected.job, `job to ${url}`);
  assert.deepEqual(outcomeOf(await runCron(service, { url })), expected.run, `cron to ${url}`);
}

/** Lets what was sent over loopback arrive and be read. */
async function letArrive(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

function answerOf(status: number, extra = ''): string {
  const line = `HTTP/1.1 ${String(status).padStart(3, '0')} Any\r\n`;
  return `${line}${extra}Connection: close\r\nContent-Length: 0\r\n\r\n`;
}

/** What a job and an execution come to with a target that answers so. */
async function outcomesWith(answer: string) {
  await using receiver = await startRawReceiver(answer);
  const job = outcomeOf(await runJob(service, { url: receiver.url }));
  const run = outcomeOf(await runCron(service, { url: receiver.url }));
  return { job, run };
}

describe('judging by the status', () => {
  const rows: [statuses: readonly number[], isSuccess: boolean, reason: string | null][] = [
    [[200, 204, 299], true, null],
    [[300, 304, 399, 600, 999, 99, 0], false, null],
    [[400, 429, 499], false, 'http_client_error'],
    [[500, 503, 599], false, 'http_server_error'],
  ];
  for (const [statuses, isSuccess, reason] of rows) {
    const end = isSuccess ? 'succeeds' : `fails with ${reason ?? 'no known reason'}`;
    test(`a run with ${statuses.join()} ${end}; only jobs have a message (§6.3, §2.7)`, async () => {
      for (const responseStatus of statuses) {
        const { job, run } = await outcomesWith(answerOf(responseStatus));
        const success = { status: 'success', reason: null, errorMessage: null, responseStatus };
        const expected = failed(reason, `HTTP ${responseStatus} error`, responseStatus);
        assert.deepEqual(job, isSuccess ? success : expected.job);
        assert.deepEqual(run, isSuccess ? success : { ...expected.run, errorMessage: null });
      }
    });
  }

  test('redirects are never followed', async () => {
    await using elsewhere = await startReceiver();
    for (const status of [301, 307])
      for (const location of ['/elsewhere', `${elsewhere.url}/`]) {
        target.answer('/redirect', {
          status,
          headers: { Location: location, Refresh: '0; url=/x' },
        });
        const job = await runJob(service, { url: `${target.url}/redirect` });
        assert.equal(job.errorMessage, `HTTP ${status} error`);
      }
    assert.equal(elsewhere.requests.length, 0);
    assert.equal(target.requests.length, 4, 'one request each');
  });
});

describe('the timeout', () => {
  const STATUS = 'HTTP/1.1 200 OK\r\n';
  const stalls: [fault: string, script: (c: RawConnection) => unknown, status: number | null][] = [
    ['takes the request and says nothing', () => {}, null],
    ['stops in its body', (c) => c.send(`${STATUS}Content-Length: 5\r\n\r\nabcd`), 200],
    ['sends 1xx and no more', (c) => c.send('HTTP/1.1 100 Continue\r\n\r\n'), null],
  ];
  for (const [fault, script, status] of stalls) {
    test(`a target that ${fault} times out, and its connection is closed`, async () => {
      const arrived = Promise.withResolvers<void>();
      await using receiver = await startRawReceiver(async (connection) => {
        await connection.until();
        await script(connection);
        arrived.resolve();
      });
      await setQueue(service, { timeoutSeconds: 7, retriesEnabled: false }, 'seven');
      const id = await postJob(service, { queue: 'seven', url: receiver.url });
      await arrived.promise;
      await letArrive();
      await service.clock.advance(6_999);
      assert.equal((await service.store.jobs.find(service.teamId, id))?.status, 'processing');
      await service.clock.advance(1);
      const job = await jobEnd(service, id);
      const text = 'Request timed out after 7 seconds';
      assert.deepEqual(outcomeOf(job), failed('timeout', text, status).job);
      assert.equal(job.durationMs, 7_000);
      assert.equal(Number(job.completedAt) - Number(job.startedAt), 7_000);
      await assert.rejects(receiver.connections[0]?.until('more') ?? Promise.resolve(), /ended/);
      assert.equal(receiver.connections.length, 1);
    });
  }

  test('bytes that drip in do not extend the timeout (§2.7)', async () => {
    await using receiver = await startRawReceiver(async (connection) => {
      await connection.until();
      await connection.send('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      await connection.drip('x'.repeat(100_000), { everyMs: 2 });
    });
    const cron = await scheduleCron(service, {
      url: receiver.url,
      timeout_seconds: 3,
      is_active: false,
    });
    await service.work.runCronNow(service.teamId, cron.id);
    await (await receiver.next()).until();
    for (let second = 0; second < 3; second++) {
      await letArrive();
      await service.clock.advance(1_000);
    }
    await service.quiet();
    const [run] = await executionsOf(service, cron.id);
    assert.ok(run);
    assert.deepEqual(
      outcomeOf(run),
      failed('timeout', 'Request timed out after 3 seconds', 200).run,
    );
    assert.equal(run.durationMs, 3_000);
  });

  test('the timeout includes the DNS lookup', async () => {
    dns.answer('silent.test', 'silence');
    const asked = dns.queries.length;
    await setQueue(service, { timeoutSeconds: 2, retriesEnabled: false }, 'two');
    const id = await postJob(service, { queue: 'two', url: 'http://silent.test/' });
    await eventually(() => dns.queries.length > asked);
    await service.clock.advance(2_000);
    const job = await jobEnd(service, id);
    assert.deepEqual(
      outcomeOf(job),
      failed('timeout', 'Request timed out after 2 seconds', null).job,
    );
    assert.equal(job.durationMs, 2_000);
  });

  test('opening a connection takes at most 10 seconds, or the timeout if it is shorter', async () => {
    await using receiver = await startRawReceiver(() => {});
    const url = receiver.url.replace('http:', 'https:');
    const opening = 'Connection error: connection timed out after 10 seconds';
    for (const [timeoutSeconds, atMs, reason, text] of [
      [30, 10_000, 'connection_error', opening],
      [4, 4_000, 'timeout', 'Request timed out after 4 seconds'],
    ] as const) {
      await setQueue(service, { timeoutSeconds, retriesEnabled: false }, 'opening');
      const id = await postJob(service, { queue: 'opening', url });
      const connection = await receiver.next();
      await eventually(() => connection.received.length > 0, { what: 'a handshake to begin' });
      await service.clock.advance(atMs - 1);
      assert.equal((await service.store.jobs.find(service.teamId, id))?.status, 'processing');
      await service.clock.advance(1);
      const job = await jobEnd(service, id);
      assert.deepEqual(outcomeOf(job), failed(reason, text, null).job);
      assert.equal(job.durationMs, atMs);
    }
  });
});

describe('connection errors', () => {
  const OK = 'HTTP/1.1 200 OK\r\n';
  // What is valid HTTP has a table in src/outgoing/response-parser.test.ts.
  const rows: [response: string, answer: string, text: string, status: number | null][] = [
    ['no answer at all', '', 'connection closed before a response came', null],
    ['garbage', '\0\x01garbage\r\n\r\n', 'response is not valid HTTP', null],
    [
      '64 KiB of headers and more',
      `${OK}${`A: ${'x'.repeat(1000)}\r\n`.repeat(70)}\r\n`,
      'response headers are too large',
      null,
    ],
    ['a body cut short', `${OK}Content-Length: 10\r\n\r\nshort`, 'response ended early', 200],
    [
      'a body that is not gzip',
      `${OK}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope`,
      'response body is not valid gzip',
      200,
    ],
  ];
  test('a response that breaks HTTP keeps the status if one was received (§2.7)', async () => {
    for (const [response, answer, text, status] of rows) {
      const expected = failed('connection_error', `Connection error: ${text}`, status);
      assert.deepEqual(await outcomesWith(answer), expected, response);
    }
  });

  test('a connection reset before or within the response is a connection error', async () => {
    const framings = ['Content-Length: 9', 'Connection: close'];
    await using receiver = await startRawReceiver(async (connection) => {
      const framing = framings[Number(/ \/(\d)/.exec(String(await connection.until()))?.[1])];
      if (framing !== undefined) {
        await connection.send(`${OK}${framing}\r\n\r\n4\r\nabcd`);
        await letArrive();
      }
      connection.reset();
    });
    const text = 'Connection error: connection reset';
    await assertFails(`${receiver.url}/before`, 'connection_error', text);
    for (const n of framings.keys())
      await assertFails(`${receiver.url}/${n}`, 'connection_error', text, 200);
  });

  test('a closed port is a connection error', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const text = 'Connection error: connection refused';
    await assertFails(`http://127.0.0.1:${port}/`, 'connection_error', text);
  });
});

const CANNOT_RESOLVE = ['cannot_resolve_host', 'Cannot resolve host'] as const;
const BLOCKED = ['blocked_address', 'The URL resolves to a blocked IP address.'] as const;

describe('names of targets', () => {
  const rows: [
    lookup: string,
    answer: DnsAnswer,
    verdict: typeof BLOCKED | typeof CANNOT_RESOLVE,
  ][] = [
    ['a private address', ['10.1.2.3'], BLOCKED],
    [
      'an allowed and a private address: any blocked one blocks (§2.11)',
      ['127.0.0.1', '192.168.0.1'],
      BLOCKED,
    ],
    [
      'a CNAME chain that ends in a private address',
      [
        { type: 'CNAME', data: 'inner.test' },
        { type: 'A', name: 'inner.test', data: '10.1.2.3' },
      ],
      BLOCKED,
    ],
    ['a name with IPv6 addresses only', ['2001:4860:4860::8888', '::1'], CANNOT_RESOLVE],
    ['no address at all', [], CANNOT_RESOLVE],
    ['NXDOMAIN', 'NXDOMAIN', CANNOT_RESOLVE],
    ['SERVFAIL', 'SERVFAIL', CANNOT_RESOLVE],
    ['bytes that are no DNS answer', { bytes: Buffer.from('garbage') }, CANNOT_RESOLVE],
  ];
  test('a name without a public IPv4 address gets no request', async () => {
    const sent = target.requests.length;
    for (const [n, [lookup, answer, [reason, text]]] of rows.entries()) {
      dns.answer(`name-${n}.test`, answer);
      await assertFails(`http://name-${n}.test:${target.port}/`, reason, text);
      assert.equal(target.requests.length, sent, `${lookup}: nothing is sent`);
    }
  });

  test('the address of a name is checked when the request is sent, not at creation', async () => {
    dns.answer('later.test', ['10.1.2.3']);
    const url = `http://later.test:${target.port}/later`;
    const id = await postJob(service, { url, delay: 30 });
    dns.answer('later.test', ['127.0.0.1']);
    await service.advance(30_000);
    assert.equal((await jobEnd(service, id)).status, 'success');
  });

  test('the address that was checked is the one that is dialled; a later DNS answer is checked again (§2.11)', async () => {
    dns.answer('rebound.test', (_query, count) => [count === 1 ? '10.1.2.3' : '127.0.0.1']);
    const asked = () => dns.queries.filter(({ name }) => name === 'rebound.test').length;
    const url = `http://rebound.test:${target.port}/rebound`;
    assert.equal((await runJob(service, { url })).status, 'success');
    assert.equal(asked(), 1);
    const second = await runJob(service, { url });
    assert.deepEqual(outcomeOf(second), failed(...BLOCKED, null).job);
    assert.equal(asked(), 2);
    assert.equal((await runJob(service, { url })).status, 'success');
    assert.equal(target.requests.filter((request) => request.url === '/rebound').length, 2);
  });
});

/** Counts connections to one port of both loopbacks. */
async function startListener() {
  let count = 0;
  const listen = async (host: string, port: number) => {
    const server = net.createServer((socket) => {
      count++;
      socket.destroy();
    });
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  };
  const first = await listen('127.0.0.1', 0);
  const { port } = first.address() as AddressInfo;
  const servers = [first, await listen('::1', port).catch(() => null)];
  return {
    port,
    count: () => count,
    [Symbol.dispose]: () => servers.forEach((server) => server?.close()),
  };
}

describe('IP addresses as targets (§2.11)', () => {
  // Every spelling that a URL allows is in src/domain/http/network.test.ts.
  const blocked = ['127.0.0.1', '127.1', '2130706433', '0X7F.0.0.0x1', '0', '169.254.169.254'];
  const ipv6 = ['[::1]', '[::ffff:127.0.0.1]', '[2001:4860:4860::8888]'];

  test('a blocked address gets no connection', async () => {
    const env = { ALLOWED_NETWORKS: '', DNS_SERVERS: dns.address };
    await using closed = await startService(openSqliteTestStore, { env });
    await makeOnceQueue(closed);
    using listener = await startListener();
    const asked = dns.queries.length;
    const check = async (host: string, [reason, text]: readonly [string, string]) => {
      const job = await runJob(closed, { url: `http://${host}:${listener.port}/` });
      assert.deepEqual(outcomeOf(job), failed(reason, text, null).job, host);
      assert.deepEqual([job.durationMs, job.completedAt], [0, job.startedAt]);
    };
    await Promise.all([
      ...blocked.map((host) => check(host, BLOCKED)),
      ...ipv6.map((host) => check(host, CANNOT_RESOLVE)),
    ]);
    const run = await runCron(closed, { url: `http://0x7f.1:${listener.port}/` });
    assert.deepEqual(outcomeOf(run), failed(...BLOCKED, null).run);
    assert.equal(listener.count(), 0);
    assert.equal(dns.queries.length, asked, 'no name is looked up');
  });

  test('an operator can allow networks by CIDR, and only those are reachable', async () => {
    assert.equal(
      (await runJob(service, { url: `http://0x7f.1:${target.port}/open` })).status,
      'success',
    );
    for (const host of ['127.0.0.2', '10.0.0.1', '0.0.0.0']) {
      const job = await runJob(service, { url: `http://${host}:${target.port}/` });
      assert.deepEqual(outcomeOf(job), failed(...BLOCKED, null).job, host);
    }
  });
});
