import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface HttpServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:41234`. */
  url: string;
}

/** Serves on a free port of the loopback. `startReceiver` is for tests that read the requests. */
export async function startHttpServer(handler: http.RequestListener): Promise<HttpServer> {
  const server = http.createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
