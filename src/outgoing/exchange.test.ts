import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { startRawReceiver, type RawConnection } from '#testing/raw-receiver';
import { openSender, saysOf } from '#testing/sender';
import type { Exchange } from '#domain/http/exchange';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Asserts an exchange's kind and returns it with that type. */
function expectKind<K extends Exchange['kind']>(exchange: Exchange, kind: K) {
  assert.equal(exchange.kind, kind, JSON.stringify(exchange));
  return exchange as Extract<Exchange, { kind: K }>;
}

/** The outcome of one exchange with a target that answers like this. */
async function exchangeWith(script: Parameters<typeof startRawReceiver>[0]): Promise<Exchange> {
  await using receiver = await startRawReceiver(script);
  await using sender = openSender();
  return await sender.get(`${receiver.url}/`);
}

/** Waits until the sender has closed a connection. */
async function untilClosed(connection: RawConnection | undefined): Promise<void> {
  assert.ok(connection);
  await assert.rejects(connection.until('more'), /ended/);
}

async function answerEach(connection: RawConnection, ...answers: string[]): Promise<void> {
  let seen = 0;
  for (const answer of answers) {
    seen = (await connection.untilBytes(seen + 1)).length;
    await connection.send(answer);
  }
}

describe('the sent request', () => {
  test('path and query go out as written', async () => {
    const written = [
      '/a/../b/./c//d',
      '/%7Euser/%zz',
      '/q?a=\'b\'&c=<"d">&e={f}|^`',
      '/?a=b?c',
      '/a;b,c@d:e!$',
      '?x=1',
      '',
    ];
    await using receiver = await startRawReceiver((connection) =>
      answerEach(connection, ...written.map(() => OK)),
    );
    await using sender = openSender();
    for (const path of written) expectKind(await sender.get(receiver.url + path), 'answered');
    const lines = receiver.connections[0]?.received.toString().match(/^GET .*(?= HTTP)/gm);
    assert.deepEqual(
      lines,
      written.map((path) => `GET ${path.startsWith('/') ? '' : '/'}${path}`),
    );
  });

  test('the request line is escaped and has no fragment', async () => {
    await using receiver = await startRawReceiver(OK);
    await using sender = openSender();
    await sender.get(`${receiver.url}/ü?k=日\ud800#fragment`);
    assert.match(
      receiver.connections[0]?.received.toString() ?? '',
      /^GET \/%C3%BC\?k=%E6%97%A5%EF%BF%BD HTTP/,
    );
  });

  test('a body that is too large for one write arrives whole', async () => {
    await using receiver = await startRawReceiver(async (connection) => {
      await connection.untilBytes(300_000);
      await connection.send(OK);
    });
    await using sender = openSender();
    const body = Buffer.alloc(300_000, 'body');
    expectKind(await sender.get(receiver.url, { method: 'PUT', body }), 'answered');
    const sent = receiver.connections[0]?.received ?? Buffer.alloc(0);
    const head = sent.indexOf('\r\n\r\n') + 4;
    assert.match(sent.toString('latin1', 0, head), /\r\ncontent-length: 300000\r\n\r\n$/);
    assert.ok(sent.subarray(head).equals(body));
  });

  test('headers that cannot be written end their own run alone', async () => {
    await using receiver = await startRawReceiver((connection) => answerEach(connection, OK));
    await using sender = openSender();
    for (const header of [
      ['Expect', '100-continue'],
      ['A b', 'c'],
      ['A', 'b\r\nC: d'],
      ['Transfer-Encoding', 'chunked'],
      ['A', '日'],
    ] as const) {
      const broken = expectKind(await sender.get(receiver.url, { headers: [header] }), 'broken');
      assert.equal(saysOf(broken), 'the request cannot be written as HTTP');
    }
    expectKind(await sender.get(receiver.url), 'answered');
    assert.equal(receiver.connections.length, 1, 'nothing of the others was sent');
  });
});

describe('connections', () => {
  test('connections are reused, one request at a time', async () => {
    await using receiver = await startRawReceiver(async (connection) => {
      for (let n = 1; ; n++) {
        await connection.untilBytes(connection.received.length + 1);
        await connection.send(OK);
      }
    });
    await using sender = openSender();
    for (let n = 0; n < 3; n++) expectKind(await sender.get(receiver.url), 'answered');
    assert.equal(receiver.connections.length, 1);
    await Promise.all([sender.get(receiver.url), sender.get(receiver.url)]);
    assert.equal(receiver.connections.length, 2);
  });

  for (const how of ['end', 'reset'] as const) {
    test(`an idle connection that the target closed by ${how} is replaced without an error`, async () => {
      await using receiver = await startRawReceiver(async (connection) => {
        await connection.until();
        await connection.send(OK);
        connection[how]();
      });
      await using sender = openSender();
      for (let n = 1; n <= 3; n++) {
        expectKind(await sender.get(receiver.url), 'answered');
        await receiver.connections[n - 1]?.closed;
      }
      assert.equal(receiver.connections.length, 3);
    });
  }

  test('a request that was sent on a reused connection is never sent twice', async () => {
    await using receiver = await startRawReceiver(async (connection, index) => {
      await connection.until();
      await connection.send(OK);
      const first = connection.received.length;
      await connection.untilBytes(first + 1);
      if (index === 0) connection.reset();
    });
    await using sender = openSender();
    expectKind(await sender.get(receiver.url), 'answered');
    const broken = expectKind(
      await sender.get(receiver.url, { method: 'POST', body: '{}' }),
      'broken',
    );
    assert.equal(saysOf(broken), 'connection reset');
    assert.equal(receiver.connections.length, 1);
  });

  test('a connection with unexpected bytes is not reused', async () => {
    const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged';
    await using receiver = await startRawReceiver(async (connection, index) => {
      await connection.until();
      await connection.send(OK);
      if (index > 0) return;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      await connection.send(forged);
    });
    await using sender = openSender();
    expectKind(await sender.get(receiver.url), 'answered');
    await untilClosed(receiver.connections[0]);
    const { body } = expectKind(await sender.get(receiver.url), 'answered');
    assert.equal(String(body.stored), 'ok');
    assert.equal(receiver.connections.length, 2);
  });

  for (const [name, answer] of [
    ['with bytes behind its end', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged`],
    ['with Connection: close', OK.replace('\r\n', '\r\nConnection: close\r\n')],
    ['that keeps the connection for a second', OK.replace('\r\n', '\r\nKeep-Alive: timeout=1\r\n')],
  ] as const) {
    test(`a response ${name} counts, and its connection is closed`, async () => {
      await using receiver = await startRawReceiver((connection) => answerEach(connection, answer));
      await using sender = openSender();
      for (let n = 0; n < 2; n++) {
        const { body } = expectKind(await sender.get(receiver.url), 'answered');
        assert.equal(String(body.stored), 'ok');
        await untilClosed(receiver.connections[n]);
      }
      assert.equal(receiver.connections.length, 2);
    });
  }

  test('a connection whose request was answered before it was sent is not reused', async () => {
    await using receiver = await startRawReceiver(async (connection) => {
      await connection.until();
      await connection.send('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
    });
    await using sender = openSender();
    const body = Buffer.alloc(32 * 1024 * 1024);
    for (let n = 0; n < 2; n++) {
      const exchange = await sender.get(receiver.url, { method: 'POST', body });
      assert.equal(expectKind(exchange, 'answered').status, 413);
    }
    assert.equal(receiver.connections.length, 2);
  });

  test('idle connections are closed after four seconds', async () => {
    await using receiver = await startRawReceiver((connection) => answerEach(connection, OK, OK));
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await using sender = openSender({ clock });
    expectKind(await sender.get(receiver.url), 'answered');
    await clock.advance(3_999);
    expectKind(await sender.get(receiver.url), 'answered');
    assert.equal(receiver.connections.length, 1);
    await clock.advance(5_000);
    await untilClosed(receiver.connections[0]);
    assert.equal(clock.waiting, 0, 'no timer is left behind');
  });

  test('closing the sender ends a request that waits for a resting connection', async () => {
    await using receiver = await startRawReceiver((connection) => answerEach(connection, OK));
    const sender = openSender();
    expectKind(await sender.get(receiver.url), 'answered');
    const waiting = sender.get(receiver.url);
    await sender.close();
    assert.equal(saysOf(expectKind(await waiting, 'broken')), 'the service is stopping');
    assert.equal(
      saysOf(expectKind(await sender.get(receiver.url), 'broken')),
      'the service is stopping',
    );
  });

  test('closing the sender ends running exchanges', async () => {
    await using receiver = await startRawReceiver(() => {});
    const sender = openSender();
    const exchange = sender.get(receiver.url);
    await receiver.next();
    await sender.close();
    expectKind(await exchange, 'broken');
  });

  test('idle connections to many origins are closed beyond 512', async () => {
    const open = new Set<Socket>();
    const server = http.createServer((_, response) => response.end('ok'));
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using sender = openSender();
    for (let batch = 0; batch < 7; batch++) {
      const urls = Array.from({ length: 100 }, (_, n) => `http://127.0.${batch}.${n + 1}:${port}/`);
      const exchanges = await Promise.all(urls.map((url) => sender.get(url)));
      for (const exchange of exchanges) expectKind(exchange, 'answered');
    }
    while (open.size > 512) await new Promise((resolve) => setImmediate(resolve));
    await sender.close();
    server.close();
    server.closeAllConnections();
  });
});

describe('answers', () => {
  test('the parts of an attempt are timed', async () => {
    const { durationMs, trace } = expectKind(await exchangeWith(OK), 'answered');
    assert.ok(Number.isInteger(durationMs));
    assert.equal(trace.address, '127.0.0.1');
    assert.deepEqual([trace.timing.dnsMs, trace.timing.tlsMs], [null, null]);
    for (const part of ['connectMs', 'waitingMs', 'receivingMs'] as const) {
      assert.ok(Number(trace.timing[part]) >= 0, part);
    }
  });
});

describe('broken answers', () => {
  test('an address that is no URL is a fault, not an exception', async () => {
    await using sender = openSender();
    for (const url of ['', 'x', 'http://', 'ftp://a.test/', 'http://a:99999/']) {
      assert.equal(saysOf(expectKind(await sender.get(url), 'broken')), 'the URL is not valid');
    }
  });
});

describe('the timeout', () => {
  test('a compressed body that stops ends at the timeout, and leaves no timer behind', async () => {
    await using receiver = await startRawReceiver(async (connection) => {
      await connection.until();
      await connection.send(
        'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f',
      );
    });
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await using sender = openSender({ clock });
    const sent = sender.get(receiver.url, { timeoutSeconds: 7 });
    await (await receiver.next()).until();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(7_000);
    const timedOut = expectKind(await sent, 'timed-out');
    assert.deepEqual([timedOut.durationMs, timedOut.status], [7_000, 200]);
    assert.equal(clock.waiting, 0);
  });

  test('a blocked event loop does not count toward the timeout', async () => {
    await using receiver = await startRawReceiver((connection) => answerEach(connection, OK));
    await using sender = openSender();
    const sent = sender.get(receiver.url, { timeoutSeconds: 1 });
    await receiver.next(({ received }) => received.length >= 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);
    assert.ok(expectKind(await sent, 'answered').durationMs < 1_000);
  });
});
