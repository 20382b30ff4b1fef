import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DemoTarget {
  /** Without a slash at its end. */
  url: string;
  /** Open requests that are never answered. */
  hanging(): number;
  /** Lets a simulated clock go on while a request is under way. */
  pass(ms: number): Promise<void>;
  close(): void;
}

/** `n` counts the requests of an address. */
const ANSWERS: Record<string, (n: number) => { status: number; body: string } | 'never'> = {
  '/invoices': (n) => ({ status: 200, body: JSON.stringify({ data: { ok: true, sent: 40 + n } }) }),
  '/backup': () => ({ status: 200, body: '{"data":{"ok":true,"bytes":73400320}}' }),
  '/prices': (n) =>
    n % 9 === 0 ? { status: 503, body: 'warming up' } : { status: 200, body: '{"updated":112}' },
  '/search-index': (n) =>
    n > 26 ? { status: 500, body: '{"error":"disk full"}' } : { status: 200, body: '{"ok":true}' },
  '/mail': (n) =>
    n % 7 === 3 ? { status: 502, body: 'bad gateway' } : { status: 202, body: '{"accepted":true}' },
  '/mail/unknown': () => ({ status: 404, body: '{"error":"no such list"}' }),
  '/thumbnails': () => ({ status: 200, body: '{"width":320,"height":240}' }),
  '/thumbnails/broken': () => ({ status: 200, body: '{"error":"not an image"}' }),
  '/slow': () => 'never',
  '/chat/T0DEMO/8d41': () => ({ status: 200, body: 'ok' }),
  '/done': () => ({ status: 204, body: '' }),
};

/** Services of a made-up company that mostly work. */
export async function startDemoTarget(port = 0): Promise<DemoTarget> {
  const counts = new Map<string, number>();
  let hanging = 0;
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://target');
    const n = (counts.get(pathname) ?? 0) + 1;
    counts.set(pathname, n);
    const answer = ANSWERS[pathname]?.(n) ?? { status: 404, body: 'no such page' };
    request.resume();
    if (answer === 'never') {
      hanging += 1;
      response.once('close', () => (hanging -= 1));
      return;
    }
    void target.pass(durationMs()).then(() => {
      response.writeHead(answer.status, { 'Content-Type': 'application/json' });
      response.end(answer.status === 204 ? undefined : answer.body);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const target: DemoTarget = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging: () => hanging,
    pass: async () => {},
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return target;
}

/** One of twelve is slow. */
function durationMs(): number {
  return randomInt(35, 125) + (randomInt(12) === 0 ? randomInt(400, 1_300) : 0);
}
