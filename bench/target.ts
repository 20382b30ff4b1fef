/** The endpoint that everything is delivered to, in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { preciseNow } from '#testing/wait';

/** Path of a request, and when its head was read, in milliseconds since 1970 UTC with fractions. */
type Arrival = [path: string, at: number];

export interface Target {
  url: string;
  /** Requests that have come so far; with a prefix only those whose path starts so. */
  count(prefix?: string): Promise<number>;
  /** Gives the arrivals of paths that start with `prefix`. */
  take(prefix: string): Promise<Arrival[]>;
  /** Gives all arrivals and forgets them. */
  drain(): Promise<Arrival[]>;
  /** Forgets all arrivals. */
  forget(): Promise<void>;
  close(): void;
}

interface Ask {
  what: 'count' | 'take' | 'drain' | 'forget';
  prefix: string;
}

/** How long `/hold…` waits before it answers. */
const HOLD_MS = 25_000;

export async function startTarget(): Promise<Target> {
  const child = fork(import.meta.filename, { execArgv: [] });
  const [port] = (await once(child, 'message')) as [number];
  const ask = async (message: Ask): Promise<unknown> => {
    child.send(message);
    return ((await once(child, 'message')) as unknown[])[0];
  };
  return {
    url: `http://127.0.0.1:${port}`,
    count: async (prefix = '') => (await ask({ what: 'count', prefix })) as number,
    take: async (prefix) => (await ask({ what: 'take', prefix })) as Arrival[],
    drain: async () => (await ask({ what: 'drain', prefix: '' })) as Arrival[],
    forget: async () => void (await ask({ what: 'forget', prefix: '' })),
    close: () => child.kill('SIGKILL'),
  };
}

/**
 * `/quiet…` is answered and not recorded; `/slow…` is answered after a second; `/hold…` after `HOLD_MS`; other paths at
 * once.
 */
function serve(): void {
  let arrivals: Arrival[] = [];
  const server = http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/quiet')) arrivals.push([path, preciseNow()]);
    request.resume();
    request.on('end', () => {
      if (path.startsWith('/slow')) void delay(1000).then(() => response.end('ok'));
      else if (path.startsWith('/hold')) void delay(HOLD_MS).then(() => response.end('ok'));
      else response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', ({ what, prefix }: Ask) => {
    const wanted = () => arrivals.filter(([path]) => path.startsWith(prefix));
    const answer = what === 'count' ? wanted().length : what === 'forget' ? 0 : wanted();
    if (what === 'forget' || what === 'drain') arrivals = [];
    process.send?.(answer);
  });
  process.on('disconnect', () => process.exit());
}

if (import.meta.main) serve();
