import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Finding } from '#cli/services';
import type { Config } from '#config/config';
import { isLoopbackHost } from '#domain/http/arrival';
import { fail, ok, warn } from './finding.ts';
import { askHealth } from './health.ts';

export function isOfAnother(answering: string | null, own: string | null): boolean {
  return answering !== null && own !== null && answering !== own;
}

/**
 * Whether the service listens, or could listen. Never rejects.
 * @param own this installation's name; null if unknown
 */
export async function examineListening(
  { host, port }: Pick<Config, 'host' | 'port'>,
  own: string | null,
): Promise<Finding> {
  if (port === 0) return ok('port', 'PORT is 0: any that is free');
  const where = `${host} port ${port}`;
  // First, because only the service's user may be allowed to listen on this port.
  const health = await askHealth({ host, port });
  if (health.kind === 'lives') {
    if (isOfAnother(health.installation, own)) {
      const message = `${where} is taken by a Belfry with another database: stop that, or choose another PORT`;
      return fail('port', message);
    }
    const other = await findOtherHost({ host, port });
    if (other !== null) return warn('port', other);
    return ok('port', `the service listens on ${where}`);
  }
  const code = await tryToListen(host, port);
  if (code === null) return ok('port', `${where} is free`);
  const message =
    code === 'EADDRINUSE'
      ? `${where} is taken by another program: end that, or choose another PORT`
      : `cannot listen on ${where} (${code}): choose another HOST or PORT`;
  return fail('port', message);
}

/** Reports a running service with another HOST. */
async function findOtherHost({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<string | null> {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const address = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (address === undefined || !(isEverywhere || isLoopbackHost(host))) return null;
  const isReached = (await askHealth({ host: address, port })).kind === 'lives';
  if (isReached === isEverywhere) return null;
  const answers = isReached ? 'also answers' : 'does not answer';
  return `HOST is ${host}, but the service on port ${port} ${answers} on ${address}: restart it to apply HOST`;
}

/** @returns null or the error's code */
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
