import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { freePort } from '#testing/free-port';
import { guardProcess, makeFolder } from '#testing/guard';
import { eventually } from '#testing/wait';

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
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', flags, { cwd: makeFolder(), stdio: 'ignore' });
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!isThere || child.pid === undefined) return null;
  const guard = guardProcess(child.pid, 'KILL');
  await eventually(() => isOpen(port), { what: 'redis-server to open its port' });
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => guard.end() };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}
