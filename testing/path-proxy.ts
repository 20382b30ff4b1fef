import http from 'node:http';
import { startHttpServer } from './http-server.ts';

/** A proxy of a host that several tools share: it forwards one path, and records other requests. */
interface PathProxy extends AsyncDisposable {
  /** The public address, with the path. */
  url: string;
  /** Requests outside of the path. */
  strays: readonly string[];
  /** Forwards to this address. */
  passTo(listening: string): void;
}

/** @param strips  forwards requests without the path, as a misconfigured proxy does */
export async function startPathProxy(
  basePath: string,
  { strips = false } = {},
): Promise<PathProxy> {
  let target: URL | null = null;
  const strays: string[] = [];
  const server = await startHttpServer((request, response) => {
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
    const path = strips ? url.slice(basePath.length) : url;
    const onward = http.request({ method, hostname, port, path, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return {
    url: server.url + basePath,
    strays,
    passTo: (listening) => void (target = new URL(listening)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
