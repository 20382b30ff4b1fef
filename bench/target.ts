/** The endpoint that everything is delivered to, in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { preciseNow } from '#testing/wait';

/** Path of a request, and when its head was read, in milliseconds since 1970 UTC with fractions. */
type Arrival = [path: string, at: number];

export interface Target {
  url: string;
  /** Gives the arrivals since the last call. */
  take(): Promise<Arrival[]>;
  close(): void;
}

export async function startTarget(): Promise<Target> {
  const child = fork(import.meta.filename, { execArgv: [] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    take: async () => {
      child.send('take');
      return ((await once(child, 'message')) as [Arrival[]])[0];
    },
    close: () => child.kill('SIGKILL'),
  };
}

/** `/quiet…` is not recorded. */
function serve(): void {
  let arrivals: Arrival[] = [];
  const server = http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/quiet')) arrivals.push([path, preciseNow()]);
    request.resume();
    request.on('end', () => response.end('ok'));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => {
    process.send?.(arrivals);
    arrivals = [];
  });
  process.on('disconnect', () => process.exit());
}

if (import.meta.main) serve();
