import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { guardProcess, makeFolder } from '#testing/guard';

export interface Redis {
  url: string;
  /** Null for a server that was already running. */
  pid: number | null;
  stop(): Promise<void>;
}

/**
 * The server of REDIS_URL, or a `redis-server` from the PATH that writes nothing to disk, which is its fastest mode;
 * null without either.
 */
export async function findRedis(): Promise<Redis | null> {
  const given = process.env['REDIS_URL'];
  if (given) return { url: given, pid: null, stop: () => Promise.resolve() };
  const port = await findFreePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', flags, { cwd: makeFolder(), stdio: 'ignore' });
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!isThere || child.pid === undefined) return null;
  const guard = guardProcess(child.pid, 'KILL');
  await untilOpen(port);
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => guard.end() };
}

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { promise: isOpen, resolve } = Promise.withResolvers<boolean>();
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    const answer = await isOpen;
    socket.destroy();
    if (answer) return;
    await delay(50);
  }
  throw new Error('redis-server did not open its port');
}
