import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Finding } from '#cli/services';
import type { Config } from './config.ts';
import { askHealth } from './health.ts';

/**
 * Checks whether the service listens at its address, or could listen there, by listening for a moment. Never rejects.
 */
export async function examineListening({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const check = 'port';
  if (port === 0) return { check, status: 'ok', message: 'PORT is 0: any that is free' };
  const where = `${host} port ${port}`;
  // Asked first, because only the service's user may be allowed to listen on this port.
  if ((await askHealth({ host, port })).kind === 'lives') {
    return { check, status: 'ok', message: `the service listens on ${where}` };
  }
  const code = await tryToListen(host, port);
  if (code === null) return { check, status: 'ok', message: `${where} is free` };
  const message =
    code === 'EADDRINUSE'
      ? `${where} is taken by another program: end that, or choose another PORT`
      : `cannot listen on ${where} (${code}): choose another HOST or PORT`;
  return { check, status: 'fail', message };
}

/** @returns null if listening works, else the error's code */
async function tryToListen(host: string, port: number): Promise<string | null> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return null;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
