import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { ApiServer, aJob } from '#testing/api-server';
import { BODY_WITHIN_MS } from './body.ts';
import { httpServerOptions } from './server-limits.ts';

async function openSocket(api: ApiServer, text: string): Promise<Socket> {
  const socket = connect(api.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** All text that arrives until the other side ends the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function readUntil(socket: Socket, mark: string): Promise<string> {
  let text = '';
  while (!text.includes(mark)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString();
  }
  return text;
}

const head = 'POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('the size of a body', () => {
  test('a body with too large a Content-Length is rejected before it arrives', async () => {
    await using api = await ApiServer.start();
    const socket = await openSocket(api, `${head}Content-Length: 99999999999\r\n\r\n`);
    assert.match(await readUntil(socket, '}'), /^HTTP\/1.1 413 /);
    socket.destroy();
  });

  test('a body that never ends is cut off', async () => {
    await using api = await ApiServer.start();
    const socket = await openSocket(api, `${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let n = 0; n < 17; n++) socket.write(chunk);
    assert.match(await readUntil(socket, '}'), /^HTTP\/1.1 413 /);
    await readToEnd(socket);
    assert.equal(await api.connections, 0);
  });
});

describe('slow senders', () => {
  test('a body that does not come in time is 408 and the connection ends', async () => {
    await using api = await ApiServer.start();
    const socket = await openSocket(api, `${head}Content-Length: 100\r\n\r\n{"queue"`);
    while (api.clock.waiting === 0) await new Promise(setImmediate);
    await api.clock.advance(BODY_WITHIN_MS - 1);
    socket.write(':"q"');
    await api.clock.advance(1);
    const answer = await readToEnd(socket);
    assert.match(answer, /^HTTP\/1.1 408 /);
    assert.match(answer, /\r\nConnection: close\r\n/);
    assert.match(answer, /\{"message":"Request Timeout"\}$/);
    assert.deepEqual(api.created, []);
    assert.equal(await api.connections, 0);
  });

  test('a body in time leaves no timer behind', async () => {
    await using api = await ApiServer.start();
    await api.post('/api/jobs', aJob);
    assert.equal(api.clock.waiting, 0);
  });

  test('a call that is broken off creates nothing and leaves no timer behind', async () => {
    await using api = await ApiServer.start();
    const text = JSON.stringify(aJob);
    const socket = await openSocket(
      api,
      `${head}Authorization: Bearer good\r\nContent-Length: ${text.length + 1}\r\n\r\n${text}`,
    );
    while (api.clock.waiting === 0) await new Promise(setImmediate);
    socket.destroy();
    while (api.clock.waiting > 0) await new Promise(setImmediate);
    assert.deepEqual(api.created, []);
    assert.deepEqual(api.logged, []);
  });
});

describe('headers of a request', () => {
  test("headers that don't arrive in time end the connection", async () => {
    const hurried = { headersTimeout: 100, connectionsCheckingInterval: 20 };
    await using api = await ApiServer.start(hurried);
    const socket = await openSocket(api, 'POST /api/jobs HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    assert.match(await readToEnd(socket), /^HTTP\/1.1 408 /);
    assert.ok(httpServerOptions.headersTimeout <= 10_000);
  });

  test('headers beyond 16 KiB are refused before anything else', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/jobs', aJob, { 'X-Large': 'x'.repeat(17_000) });
    assert.equal(answer.status, 431);
    assert.deepEqual(api.created, []);
  });
});

test('an idle connection outlives those that proxies keep for two minutes', async () => {
  await using api = await ApiServer.start();
  const socket = await openSocket(api, 'GET /api/jobs HTTP/1.1\r\nHost: x\r\n\r\n');
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const [, seconds] = /^Keep-Alive: timeout=(\d+)$/im.exec(head.toString()) ?? [];
  assert.ok(Number(seconds) > 120, `${seconds} s`);
});
