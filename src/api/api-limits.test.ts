import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { ApiServer, aCron, aJob } from '#testing/api-server';
import { BODY_WITHIN_MS, MOST_BODY_BYTES } from './body.ts';
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

describe('the rate limit', () => {
  test('the rate limit allows 60 requests a minute over both endpoints, rejected ones included', async () => {
    await using api = await ApiServer.start();
    const calls = [
      () => api.post('/api/jobs', aJob),
      () => api.post('/api/crons', aCron),
      () => api.post('/api/jobs', {}),
      () => api.post('/api/crons', {}, { Accept: 'text/html' }),
      () => api.post('/api/jobs', aJob, { Authorization: 'Bearer bad' }),
      () => api.post('/api/jobs', 'x'.repeat(MOST_BODY_BYTES + 1)),
      () => api.post('/api/crons', aCron, { Authorization: 'Bearer teamless' }),
    ];
    const statuses = new Set<number>();
    for (let n = 0; n < 60; n++) {
      const answer = await calls[n % calls.length]?.();
      statuses.add(answer?.status ?? 0);
      assert.equal(answer?.headers['x-ratelimit-limit'], '60');
      assert.equal(answer.headers['x-ratelimit-remaining'], String(59 - n));
      assert.equal(answer.headers['retry-after'], undefined);
      assert.equal(answer.headers['x-ratelimit-reset'], undefined);
    }
    assert.deepEqual(statuses, new Set([201, 422, 302, 401, 413, 500]));
    assert.equal((await api.post('/api/jobs', aJob)).status, 429);
    assert.equal((await api.post('/api/crons', aCron)).status, 429);
  });

  test('the rate limit answers 429 with the time to wait', async () => {
    await using api = await ApiServer.start();
    for (let n = 0; n < 60; n++) await api.post('/api/jobs', {});
    await api.clock.advance(10_500);
    const answer = await api.send({});
    assert.equal(answer.status, 429);
    assert.equal(answer.text, '{"message":"Too Many Attempts."}');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['retry-after'], '50');
    assert.equal(answer.headers['x-ratelimit-limit'], '60');
    assert.equal(answer.headers['x-ratelimit-remaining'], '0');
    const reset = Date.parse('2026-11-20T09:01:01Z') / 1000;
    assert.equal(answer.headers['x-ratelimit-reset'], String(reset));
  });

  test('a new window begins when the old one ends, and rejected requests do not extend it', async () => {
    await using api = await ApiServer.start();
    for (let n = 0; n < 60; n++) await api.post('/api/jobs', {});
    await api.clock.advance(59_999);
    assert.equal((await api.post('/api/jobs', aJob)).status, 429);
    await api.clock.advance(1);
    const answer = await api.post('/api/jobs', aJob);
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['x-ratelimit-remaining'], '59');
  });

  test('counts each address for itself, and a forged X-Forwarded-For gains nothing', async () => {
    await using api = await ApiServer.start();
    for (let n = 0; n < 60; n++)
      await api.post('/api/jobs', {}, { 'X-Forwarded-For': `1.2.3.${n}` });
    assert.equal((await api.post('/api/jobs', aJob)).status, 429);
    const other = await api.send({ localAddress: '127.0.0.2' });
    assert.equal(other.headers['x-ratelimit-remaining'], '59');
  });

  test('counts by X-Forwarded-For behind a trusted proxy', async () => {
    await using api = await ApiServer.start({ trustedProxies: 1 });
    const from = (list: string) => api.post('/api/jobs', aJob, { 'X-Forwarded-For': list });
    await from('6.6.6.6, 1.2.3.4');
    assert.equal((await from('7.7.7.7, 1.2.3.4')).headers['x-ratelimit-remaining'], '58');
    assert.equal((await from('1.2.3.4, 5.5.5.5')).headers['x-ratelimit-remaining'], '59');
  });

  test('switched off, leaves no trace in the answers', async () => {
    await using api = await ApiServer.start({ rateLimiter: null });
    for (let n = 0; n < 70; n++) assert.equal((await api.post('/api/jobs', aJob)).status, 201);
    const { headerNames } = await api.post('/api/jobs', aJob);
    assert.deepEqual(
      headerNames.filter((name) => /ratelimit/i.test(name)),
      [],
    );
  });

  test('its headers are spelled as documented', async () => {
    await using api = await ApiServer.start();
    const created = await api.post('/api/jobs', aJob);
    for (const name of ['Content-Type', 'X-RateLimit-Limit', 'X-RateLimit-Remaining']) {
      assert.ok(created.headerNames.includes(name), name);
    }
    for (let n = 0; n < 59; n++) await api.send({});
    const refused = await api.send({});
    for (const name of ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining']) {
      assert.ok(refused.headerNames.includes(name), name);
    }
    assert.ok(refused.headerNames.includes('X-RateLimit-Reset'));
  });
});

describe('the size of a body', () => {
  test('of 1 MiB is read', async () => {
    await using api = await ApiServer.start();
    const text = JSON.stringify(aJob);
    const answer = await api.post('/api/jobs', text.padEnd(MOST_BODY_BYTES, ' '));
    assert.equal(answer.status, 201);
  });

  test('of a byte more is 413 in JSON, whether its length is stated or not', async () => {
    await using api = await ApiServer.start();
    const body = JSON.stringify(aJob).padEnd(MOST_BODY_BYTES + 1, ' ');
    for (const more of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      const answer = await api.post('/api/jobs', body, more);
      assert.equal(answer.status, 413);
      assert.equal(answer.text, '{"message":"Payload Too Large"}');
      assert.equal(answer.headers['content-type'], 'application/json');
    }
    assert.deepEqual(api.created, []);
  });

  test('is judged by the stated length before a byte of it has come', async () => {
    await using api = await ApiServer.start();
    const socket = await openSocket(api, `${head}Content-Length: 99999999999\r\n\r\n`);
    assert.match(await readUntil(socket, '}'), /^HTTP\/1.1 413 /);
    socket.destroy();
  });

  test('that never ends is cut off', async () => {
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
  test('that do not come in time end the connection', async () => {
    const hurried = { headersTimeout: 100, connectionsCheckingInterval: 20 };
    await using api = await ApiServer.start({}, hurried);
    const socket = await openSocket(api, 'POST /api/jobs HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    assert.match(await readToEnd(socket), /^HTTP\/1.1 408 /);
    assert.ok(httpServerOptions.headersTimeout <= 10_000);
  });

  test('beyond 16 KiB are refused before anything else', async () => {
    await using api = await ApiServer.start();
    const answer = await api.post('/api/jobs', aJob, { 'X-Large': 'x'.repeat(17_000) });
    assert.equal(answer.status, 431);
    assert.deepEqual(api.created, []);
  });
});

test('an idle connection outlives those that proxies keep for two minutes', async () => {
  await using api = await ApiServer.start();
  const socket = await openSocket(api, 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n');
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const [, seconds] = /^Keep-Alive: timeout=(\d+)$/im.exec(head.toString()) ?? [];
  assert.ok(Number(seconds) > 120, `${seconds} s`);
});
