import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { DAY_MS } from '#domain/base/instant';
import { FakeClock } from '#demo/fake-clock';
import { createAuthority, type Credentials, type TestAuthority } from '#testing/certificates';
import { startDnsServer, type DnsServer } from '#testing/dns-server';
import { openSender, saysOf } from '#testing/sender';

let authority: TestAuthority;
let dns: DnsServer;

before(async () => {
  authority = await createAuthority();
  dns = await startDnsServer();
  for (const name of ['good.test', 'other.test']) dns.answer(name, ['127.0.0.1']);
});
after(async () => {
  await dns.close();
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A TLS server on 127.0.0.1 that calls `answer` for each chunk. */
async function listenOverTls(
  options: tls.TlsOptions,
  answer: (socket: tls.TLSSocket, chunk: Buffer) => void,
  connected: (socket: tls.TLSSocket) => void = () => {},
) {
  const server = tls.createServer(options, (socket) => {
    connected(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => answer(socket, chunk));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** Sends to a TLS server. Returns the outcome and the server names that it was asked for. */
async function exchangeOverTls(host: string, credentials: Credentials) {
  const names: (string | false | null)[] = [];
  await using target = await listenOverTls(
    credentials,
    (socket) => socket.write(OK),
    (socket) => names.push(socket.servername),
  );
  await using sender = openSender({ trusted: [authority.cert], dnsServers: [dns.address] });
  const url = `https://${host}:${target.port}/`;
  const exchanges = [await sender.get(url), await sender.get(url)];
  const [first] = exchanges;
  assert.ok(first);
  const certificates = exchanges.map(({ trace }) => trace.certificate);
  return { exchange: first, kinds: exchanges.map(({ kind }) => kind), names, certificates };
}

describe('TLS', () => {
  test('a target is reached by its name on one connection, whose first exchange has the certificate', async () => {
    const endsAt = Date.now() - (Date.now() % 1000) + 10 * DAY_MS;
    const startsAt = endsAt - 90 * DAY_MS;
    const credentials = await authority.issue({
      hosts: ['good.test'],
      notBefore: new Date(startsAt),
      notAfter: new Date(endsAt),
    });
    const { exchange, kinds, names, certificates } = await exchangeOverTls(
      'good.test',
      credentials,
    );
    assert.deepEqual([kinds, names], [['answered', 'answered'], ['good.test']]);
    assert.notEqual(exchange.trace.timing.tlsMs, null);
    const host = exchange.trace.certificate?.host;
    assert.match(host ?? '', /^good\.test:\d+$/);
    assert.deepEqual(certificates, [{ host, startsAt, endsAt }, undefined]);
  });

  test('a trailing dot is not part of the requested TLS name', async () => {
    const { exchange, names } = await exchangeOverTls(
      'good.test.',
      await authority.issue({ hosts: ['good.test'] }),
    );
    assert.deepEqual([exchange.kind, names], ['answered', ['good.test']]);
  });

  test('the next address is tried once one has used up its share of the time', async () => {
    const credentials = await authority.issue({ hosts: ['many.test'] });
    await using target = await listenOverTls(credentials, (socket) => socket.write(OK));
    const { port } = target;
    // Takes connections and never begins a handshake.
    const silent = net.createServer((socket) => socket.on('error', () => {}));
    silent.listen(port, '127.0.0.2');
    await once(silent, 'listening');
    const nextIsSilent = async () => void (await once(silent, 'connection'));
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await using sender = openSender({
      clock,
      trusted: [authority.cert],
      dnsServers: [dns.address],
    });

    dns.answer('many.test', ['127.0.0.2', '127.0.0.1']);
    let opened = nextIsSilent();
    const sent = sender.get(`https://many.test:${port}/`);
    await opened;
    await clock.advance(5_000);
    const exchange = await sent;
    assert.deepEqual([exchange.kind, exchange.trace.address], ['answered', '127.0.0.1']);

    dns.answer('many.test', ['127.0.0.2', '127.0.0.2', '127.0.0.2']);
    opened = nextIsSilent();
    const hopeless = sender.get(`https://many.test:${port}/`);
    for (const shareMs of [3_334, 3_333]) {
      await opened;
      opened = nextIsSilent();
      await clock.advance(shareMs);
    }
    await opened;
    await clock.advance(3_333);
    const broken = await hopeless;
    assert.equal(
      broken.kind === 'broken' && saysOf(broken),
      'connection timed out after 10 seconds',
    );
    assert.equal(broken.durationMs, 10_000);
    silent.close();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`the next connection resumes the session, for an hour and for its own host (${version})`, async () => {
      const credentials = await authority.issue({ hosts: ['good.test', 'other.test'] });
      const resumed: boolean[] = [];
      const options = { ...credentials, minVersion: version, maxVersion: version };
      await using target = await listenOverTls(options, (socket) => {
        resumed.push(socket.isSessionReused());
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      const clock = new FakeClock('2026-01-01T00:00:00Z');
      await using sender = openSender({
        clock,
        trusted: [authority.cert],
        dnsServers: [dns.address],
      });
      const certificates: boolean[] = [];
      const get = async (host: string) => {
        const { kind, trace } = await sender.get(`https://${host}:${target.port}/`);
        assert.equal(kind, 'answered');
        certificates.push(trace.certificate !== undefined);
      };
      for (let n = 0; n < 3; n++) await get('good.test');
      await get('other.test');
      await clock.advance(3_599_000);
      await get('good.test');
      await clock.advance(1_000);
      await get('good.test');
      assert.deepEqual(resumed, [false, true, true, false, true, false]);
      // A resumed session shows none.
      assert.deepEqual(certificates, [true, false, false, true, false, true]);
    });
  }

  test('a large response is read whole although reading is paused again and again', async () => {
    const credentials = await authority.issue({ hosts: ['good.test'] });
    const text = `${randomBytes(4 * 1024 * 1024).toString('hex')}needle`;
    for (const [coding, bytes] of [
      ['identity', Buffer.from(text)],
      ['gzip', zlib.gzipSync(text)],
    ] as const) {
      const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}`;
      await using target = await listenOverTls(credentials, (socket) => {
        socket.write(`${head}\r\n\r\n`);
        socket.write(bytes);
      });
      await using sender = openSender({ trusted: [authority.cert], dnsServers: [dns.address] });
      const needs = { searchFor: ['needle'] };
      const exchange = await sender.get(`https://good.test:${target.port}/`, { needs });
      assert.ok(exchange.kind === 'answered', exchange.kind);
      assert.deepEqual([exchange.body.found, exchange.body.totalBytes], [[true], text.length]);
    }
  });
});
