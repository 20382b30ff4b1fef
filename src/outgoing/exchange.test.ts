import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '#demo/fake-clock';
import { eventually } from '#testing/process';
import { startRawReceiver, type RawConnection } from '#testing/raw-receiver';
import { openSender, saysOf } from '#testing/sender';
import type { Exchange } from '#domain/http/exchange';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Asserts an exchange's kind and returns it with that type. */
function expectKind<K extends Exchange['kind']>(exchange: Exchange, kind: K) {
  assert.equal(exchange.kind, kind, JSON.stringify(exchange));
  return exchange as Extract<Exchange, { kind: K }>;
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
  test('path and query go out as written, escaped only where needed and without fragment', async () => {
    const written = ['/a/../b/./c//d', '/%7Euser/%zz', `/q?a='b'&c=<"d">&e={f}|^\``, '?x=1', ''];
    await using receiver = await startRawReceiver((connection) =>
      answerEach(connection, ...written.map(() => OK), OK),
    );
    await using sender = openSender();
    for (const path of [...written, '/ü?k=日\ud800#fragment'])
      expectKind(await sender.get(receiver.url + path), 'answered');
    const sent = written.map((path) => `GET ${path.startsWith('/') ? '' : '/'}${path}`);
    assert.deepEqual(receiver.connections[0]?.received.toString().match(/^GET .*(?= HTTP)/gm), [
      ...sent,
      'GET /%C3%BC?k=%E6%97%A5%EF%BF%BD',
    ]);
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
    await using receiver = await startRawReceiver((connection) =>
      answerEach(connection, OK, OK, OK, OK),
    );
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
      for (let turn = 0; turn < 20; turn++) await nextTurn();
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
      await using sender = openSender({ clock: new FakeClock('2026-01-01T00:00:00Z') });
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

  test('closing the sender ends running exchanges and those that wait for a resting connection', async () => {
    await using receiver = await startRawReceiver((connection) => answerEach(connection, OK));
    const sender = openSender();
    expectKind(await sender.get(receiver.url), 'answered');
    const waiting = sender.get(receiver.url);
    const running = sender.get(receiver.url);
    await receiver.waitFor(2);
    await sender.close();
    for (const sent of [waiting, running, sender.get(receiver.url)])
      assert.equal(saysOf(expectKind(await sent, 'broken')), 'the service is stopping');
  });

  test('idle connections to many origins are closed beyond 512', async () => {
    const open = new Set<Socket>();
    const server = http.createServer({ keepAliveTimeout: 0 }, (_, response) => response.end('ok'));
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // On its clock none of them rests for long enough to be closed for that.
    await using sender = openSender({ clock: new FakeClock('2026-01-01T00:00:00Z') });
    for (let batch = 0; batch < 7; batch++) {
      const urls = Array.from({ length: 100 }, (_, n) => `http://127.0.${batch}.${n + 1}:${port}/`);
      const exchanges = await Promise.all(urls.map((url) => sender.get(url)));
      for (const exchange of exchanges) expectKind(exchange, 'answered');
    }
    await eventually(() => open.size <= 512, { what: 'connections to be closed' });
    await sender.close();
    server.close();
    server.closeAllConnections();
  });
});

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
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  await clock.advance(7_000);
  const timedOut = expectKind(await sent, 'timed-out');
  assert.deepEqual([timedOut.durationMs, timedOut.status], [7_000, 200]);
  assert.equal(clock.waiting, 0);
});
