import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A port of the loopback that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
