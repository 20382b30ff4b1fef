import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { httpServerOptions } from '#api/server-limits';
import type { Clock } from '#domain/base/clock';
import { basePathOf } from '#domain/http/public-address';
import { findPlace } from './base-path.ts';
import { deliverEarlyAnswer } from './early-answers.ts';

const LET_GO_EVERY_MS = 100;

/** The message is one line for the operator. */
export class ListenFault extends Error {
  readonly code = 'CANNOT_LISTEN';
}

/** Once it has started, `port` is the real port. */
export class WebServer {
  readonly #server: Server;
  readonly #at: { host: string; port: number };
  #answer: ReturnType<typeof getRequestListener>;

  constructor(
    app: Hono,
    at: { host: string; port: number; baseUrl: string | null },
    clock: Pick<Clock, 'after'>,
  ) {
    this.#at = at;
    this.#answer = getRequestListener(app.fetch);
    const basePath = at.baseUrl === null ? '' : basePathOf(at.baseUrl);
    const isHttps = at.baseUrl?.startsWith('https:') === true;
    this.#server = createServer(httpServerOptions, (request, response) => {
      deliverEarlyAnswer(request, response, clock);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      if (isHttps) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
      const place = findPlace(request.url ?? '/', basePath);
      if (place.kind === 'ours') {
        request.url = place.url;
        void this.#answer(request, response);
      } else {
        response.writeHead(302, { Location: place.location, 'Content-Length': 0 }).end();
      }
    });
  }

  /** The real app needs the address first. */
  answerWith(app: Hono): void {
    this.#answer = getRequestListener(app.fetch);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? this.#at.port;
  }

  get listening(): { address: string; port: number } {
    const bound = this.#server.address() as AddressInfo | null;
    return { address: bound?.address ?? this.#at.host, port: this.port };
  }

  get address(): string {
    const { host } = this.#at;
    const isWildcard = host === '0.0.0.0' || host === '::';
    const shown = isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `http://${shown}:${this.port}`;
  }

  async start(): Promise<void> {
    if (this.#server.listening) return;
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

  async stop(graceMs: number): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    // An idle client that keeps its connection would delay the stop.
    const letGo = setInterval(() => this.#server.closeIdleConnections(), LET_GO_EVERY_MS);
    const cut = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(letGo);
    clearTimeout(cut);
  }
}
