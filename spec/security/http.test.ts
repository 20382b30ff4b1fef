import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import { useDashboard } from '#testing/dashboard';
import { WAIT_LIMIT_MS } from '#testing/limits';

/** Somebody writes requests that two servers may read in two ways, or that give back what they were sent. */

const dashboard = useDashboard();
before(() => dashboard.user('ada@bells.test'));

/** Sends these bytes on a connection of their own; gives all that comes until the service ends it. */
async function sendRaw(text: string): Promise<string> {
  const socket = net.connect(Number(new URL(dashboard.url).port), '127.0.0.1');
  socket.setEncoding('utf8').setTimeout(WAIT_LIMIT_MS, () => socket.destroy());
  let answer = '';
  socket.on('data', (chunk: string) => (answer += chunk));
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

const SMUGGLED = 'GET /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

describe('ambiguous requests', () => {
  for (const [framing, headers, body] of [
    ['a length beside chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 5', ''],
    ['a header that is folded', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 5', '0\r\n\r\n'],
    ['a line end within a header', 'X-A: b\nContent-Length: 5', ''],
  ] as const) {
    test(`a request with ambiguous length is rejected and its connection closed: ${framing}`, async () => {
      const answer = await sendRaw(
        `POST /api/jobs HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}${SMUGGLED}`,
      );
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.equal(answer.split('HTTP/1.1 ').length, 2, 'one answer');
    });
  }
});

describe('TRACE', () => {
  for (const path of ['/login', '/api/jobs']) {
    test(`TRACE returns no header that was sent: ${path}`, async () => {
      const answer = await sendRaw(
        `TRACE ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: secret-of-mine\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 [45]\d\d /);
      assert.ok(!answer.includes('secret-of-mine'));
    });
  }
});

test('a page answers an unknown method with 405 and logs no error', async () => {
  const own = `Origin: ${dashboard.url}`;
  const requests = [
    ...['OPTIONS', 'TRACE', 'PROPFIND', 'PUT'].map((method) => [method, '/login'] as const),
    ['POST', '/connection'],
  ] as const;
  for (const [method, path] of requests) {
    const answer = await sendRaw(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\n${own}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 405 /, `${method} ${path}`);
  }
  assert.deepEqual(
    dashboard.events.filter(({ event }) => event === 'dashboard.failed'),
    [],
  );
});
