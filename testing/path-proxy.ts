import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy of a host that several tools share: it forwards one path unchanged, and records other requests. */
export interface PathProxy extends AsyncDisposable {
  /** The public address, with the path. */
  url: string;
  /** Requests outside of the path. */
  strays: readonly string[];
  /** Forwards to this address. */
  passTo(listening: string): void;
}

export async function startPathProxy(basePath: string): Promise<PathProxy> {
  let target: URL | null = null;
  const strays: string[] = [];
  const server = http.createServer((request, response) => {
    const { method, headers, socket } = request;
    const url = request.url ?? '/';
    const isBelow = url === basePath || url.startsWith(`${basePath}/`);
    if (!isBelow || target === null) {
      // Browsers request it at the root of a host, whatever the page says.
      if (url !== '/favicon.ico') strays.push(`${method} ${url}`);
      response.writeHead(404).end();
      return;
    }
    const passed = { ...headers, 'x-forwarded-for': socket.remoteAddress };
    const { hostname, port } = target;
    const onward = http.request(
      { method, hostname, port, path: url, headers: passed },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${basePath}`,
    strays,
    passTo: (listening) => void (target = new URL(listening)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
