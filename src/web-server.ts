import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { httpServerOptions } from '#api/server-limits';
import { basePathOf } from '#domain/public-address';
import { findPlace } from './base-path.ts';
import type { Part } from './lifecycle.ts';

const LET_GO_EVERY_MS = 100;

/** Why the address cannot be listened on, in one line for the operator. */
export class ListenFault extends Error {
  readonly code = 'CANNOT_LISTEN';
}

/** The listening socket as a part of the service. `port` is the real one once it has started. */
export class WebServer implements Part {
  readonly name = 'web server';
  readonly #server: Server;
  readonly #at: { host: string; port: number };
  #answer: ReturnType<typeof getRequestListener>;

  constructor(app: Hono, at: { host: string; port: number; baseUrl: string | null }) {
    this.#at = at;
    this.#answer = getRequestListener(app.fetch);
    const basePath = at.baseUrl === null ? '' : basePathOf(at.baseUrl);
    const isHttps = at.baseUrl?.startsWith('https:') === true;
    this.#server = createServer(httpServerOptions, (request, response) => {
      // Here, so that no answer is without them, whoever gives it.
      response.setHeader('X-Content-Type-Options', 'nosniff');
      if (isHttps) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
      const place = findPlace(request.url ?? '/', basePath);
      if (place.kind === 'ours') {
        request.url = place.url;
        void this.#answer(request, response);
      } else {
        response.writeHead(302, { Location: place.location }).end();
      }
    });
  }

  /** Lets another app answer from now on: the real one, once the address that it needs is known. */
  answerWith(app: Hono): void {
    this.#answer = getRequestListener(app.fetch);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? this.#at.port;
  }

  /** The address that the socket is bound to, once it listens. */
  get listening(): { address: string; port: number } {
    const bound = this.#server.address() as AddressInfo | null;
    return { address: bound?.address ?? this.#at.host, port: this.port };
  }

  /** The address to open in a browser on this machine. */
  get address(): string {
    const { host } = this.#at;
    const isWildcard = host === '0.0.0.0' || host === '::';
    const shown = isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `http://${shown}:${this.port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#at);
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      const { code = 'unknown' } = cause as NodeJS.ErrnoException;
      const { host, port } = this.#at;
      throw new ListenFault(
        `Cannot listen on ${host} port ${port} (${code}): choose another HOST or PORT.`,
        { cause },
      );
    }
  }

  /** Takes no more connections and lets the requests under way finish; after `graceMs` they are cut off. */
  async stop(graceMs: number): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    // Whoever was answered just now may keep the connection; without a further request it would hold up the stop.
    const letGo = setInterval(() => this.#server.closeIdleConnections(), LET_GO_EVERY_MS);
    const cut = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(letGo);
    clearTimeout(cut);
  }
}
