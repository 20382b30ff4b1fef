import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { eventually } from '#testing/wait';
import { deliverEarlyAnswer, MOST_DROPPED_BYTES } from './early-answers.ts';

const MIB = 1024 * 1024;
type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

const refuse: Answer = (_, response) =>
  response.writeHead(413, { 'Content-Length': 9 }).end('too large');

/** A server that gives this answer before it reads a body, on a clock that stands. */
async function startServer(answer: Answer = refuse) {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const sockets: net.Socket[] = [];
  const server = http.createServer((request, response) => {
    deliverEarlyAnswer(request, response, clock);
    answer(request, response);
  });
  server.on('connection', (socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    clock,
    sockets,
    connect: () => connect((server.address() as AddressInfo).port),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function connect(port: number) {
  const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
  const client = { socket, received: '', fault: null as string | null, isClosed: false };
  socket.on('data', (text: string) => (client.received += text));
  socket.on('error', ({ code }: NodeJS.ErrnoException) => (client.fault = code ?? ''));
  socket.on('close', () => (client.isClosed = true));
  return client;
}

const head = (length: number, more = '') =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n${more}\r\n`;
const isAnswered = (client: { received: string }) => client.received.endsWith('too large');

describe('an answer before the end of its request', () => {
  for (const [state, more] of [
    ['kept', ''],
    ['closed', 'Connection: close\r\n'],
  ] as const) {
    test(`an early response arrives at once, and the connection is ${state} after the request`, async () => {
      await using server = await startServer();
      const client = server.connect();
      client.socket.write(`${head(3 * MIB, more)}${'x'.repeat(MIB)}`);
      await eventually(() => isAnswered(client));
      assert.equal(client.isClosed, false);
      client.socket.write('x'.repeat(2 * MIB));
      if (state === 'kept') {
        client.received = '';
        client.socket.write(head(0));
        await eventually(() => isAnswered(client));
        assert.equal(client.isClosed, false);
      } else {
        await eventually(() => client.isClosed);
      }
      assert.equal(client.fault, null);
      assert.equal(server.clock.waiting, 0);
    });
  }

  test('a response sent before the request ended arrives complete', async () => {
    for (const [answer, received] of [
      [refuse, 'too large'],
      [(_, response) => response.end('é'), '\r\nContent-Length: 2\r\n'],
      [(_, response) => void (response.write('a'), response.end('b')), '2\r\nab\r\n'],
    ] as [Answer, string][]) {
      await using server = await startServer(answer);
      const client = server.connect();
      client.socket.write(`${head(10, 'Connection: close\r\n')}12345`);
      await eventually(() => client.received.includes(received));
      client.socket.write('67890');
      await eventually(() => client.isClosed);
      assert.equal(client.fault, null);
    }
  });

  test('after an early response a slow body is read for two seconds, then the connection is closed', async () => {
    await using server = await startServer();
    const client = server.connect();
    client.socket.write(`${head(MIB)}x`);
    await eventually(() => isAnswered(client));
    for (let n = 0; n < 19; n++) {
      await server.clock.advance(100);
      client.socket.write('x');
    }
    assert.equal(client.isClosed, false);
    await server.clock.advance(100);
    await eventually(() => client.isClosed);
    assert.equal(server.clock.waiting, 0);
  });

  test('after an early response 8 MiB of the body are read, then the connection is closed', async () => {
    await using server = await startServer();
    const client = server.connect();
    client.socket.write(`${head(64 * MIB)}x`);
    await eventually(() => isAnswered(client));
    const chunk = Buffer.alloc(MIB);
    const send = () => {
      while (!client.isClosed && client.socket.writable && client.socket.write(chunk));
    };
    client.socket.on('drain', send);
    send();
    await eventually(() => client.isClosed);
    const read = server.sockets[0]?.bytesRead ?? 0;
    assert.ok(read > MOST_DROPPED_BYTES && read < MOST_DROPPED_BYTES + MIB, `${read}`);
    assert.equal(server.clock.waiting, 0);
  });

  test('an early response discards the rest of the request body', async () => {
    await using server = await startServer((request, response) => {
      const reader = http.IncomingMessage.toWeb(request).getReader() as ReadableStreamDefaultReader;
      void reader.read().then(() => refuse(request, response));
    });
    const client = server.connect();
    client.socket.write(`${head(4 * MIB, 'Connection: close\r\n')}${'x'.repeat(4 * MIB - 1)}`);
    await eventually(() => isAnswered(client));
    client.socket.write('x');
    await eventually(() => client.isClosed);
    assert.equal(client.fault, null);
  });

  test('an early response waits for nothing if the client has disconnected', async () => {
    await using server = await startServer();
    const client = server.connect();
    client.socket.write(`${head(MIB)}x`);
    await eventually(() => isAnswered(client));
    client.socket.resetAndDestroy();
    await eventually(() => server.clock.waiting === 0);
  });
});

test('a response to a complete request is unchanged', async () => {
  await using server = await startServer((request, response) => {
    request.resume().on('end', () => refuse(request, response));
  });
  const client = server.connect();
  client.socket.write(`${head(5, 'Connection: close\r\n')}12345`);
  await eventually(() => client.isClosed);
  assert.ok(isAnswered(client));
  assert.equal(server.clock.waiting, 0);
});
