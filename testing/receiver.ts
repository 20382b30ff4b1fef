import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Inbox, type WaitLimit } from './inbox.ts';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  /** Names and values in turn, in the order and case they were sent in. */
  rawHeaders: string[];
  body: Buffer;
}

/** The answer. Defaults: 200, no special headers, an empty body, at once. */
export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  delayMs?: number;
  /** Answers only after this has settled. */
  after?: Promise<unknown>;
}

/** `never` leaves the request open until the receiver closes; `reset` breaks the connection. */
export type AnswerOrNot = Answer | 'never' | 'reset';

/**
 * @param count  how many requests came before this one to the same path
 * @param over  aborted when the request is answered, or its sender has closed the connection
 */
export type AnswerFunction = (
  request: ReceivedRequest,
  count: number,
  over: AbortSignal,
) => AnswerOrNot | Promise<AnswerOrNot>;

interface ReceiverOptions {
  /** The answer of paths without one of their own. Default: 200, empty. */
  answer?: AnswerOrNot | AnswerFunction;
  /** Default: `127.0.0.1`. */
  host?: string;
  /** Default: a free one. */
  port?: number;
}

export interface Receiver extends AsyncDisposable {
  /** Without a slash at its end, e.g. `http://127.0.0.1:41234`. */
  url: string;
  port: number;
  /** Every request that was read to its end, in order. */
  requests: readonly ReceivedRequest[];
  /** Sets what a path (without query) answers from now on; an array is answered in turn, its last for ever. */
  answer(path: string, answer: AnswerOrNot | AnswerFunction | AnswerOrNot[]): void;
  /** Waits for one to arrive. */
  next(
    isWanted?: (request: ReceivedRequest) => boolean,
    limit?: WaitLimit,
  ): Promise<ReceivedRequest>;
  waitFor(count: number, limit?: WaitLimit): Promise<ReceivedRequest[]>;
  close(): Promise<void>;
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  return listen(http.createServer(SERVER_OPTIONS), 'http', options);
}

/** The same over TLS; `tls` takes the options of a TLS server: `cert`, `key` and so on. */
export async function startTlsReceiver(
  options: ReceiverOptions & { tls: https.ServerOptions },
): Promise<Receiver> {
  return listen(https.createServer({ ...SERVER_OPTIONS, ...options.tls }), 'https', options);
}

/** For `tls`: nothing newer than TLS 1.1, which OpenSSL grants only at its lowest security level. */
export const ONLY_TLS_1_1 = {
  minVersion: 'TLSv1.1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT@SECLEVEL=0',
} as const;

const SERVER_OPTIONS: http.ServerOptions = {
  // Long, because a client that reuses a connection while it is being closed would see a failure that no test wants.
  keepAliveTimeout: 120_000,
  requestTimeout: 0,
  maxHeaderSize: 1024 * 1024,
  insecureHTTPParser: false,
};

async function listen(
  server: http.Server | https.Server,
  scheme: string,
  { answer = {}, host = '127.0.0.1', port = 0 }: ReceiverOptions,
): Promise<Receiver> {
  const inbox = new Inbox<ReceivedRequest>('requests', ({ method, url }) => `${method} ${url}`);
  const answers = new Map<string, AnswerFunction>();
  const counts = new Map<string, number>();
  const fallback = toFunction(answer);

  server.on('request', (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = recordOf(incoming, Buffer.concat(chunks));
      const path = pathOf(request.url);
      const count = counts.get(path) ?? 0;
      counts.set(path, count + 1);
      const over = new AbortController();
      response.once('close', () => over.abort());
      const chosen = (answers.get(path) ?? fallback)(request, count, over.signal);
      inbox.add(request);
      if (chosen instanceof Promise || needsTime(chosen)) void giveLater(response, chosen);
      else give(response, chosen);
    });
  });
  server.on('tlsClientError', () => {});
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    requests: inbox.items,
    answer: (path, answer) => {
      answers.set(path, toFunction(answer));
      counts.delete(path);
    },
    next: (isWanted, limit) => inbox.next(isWanted, limit),
    waitFor: (count, limit) => inbox.waitFor(count, limit),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function recordOf(incoming: http.IncomingMessage, body: Buffer): ReceivedRequest {
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body,
  };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function toFunction(answer: AnswerOrNot | AnswerFunction | AnswerOrNot[]): AnswerFunction {
  if (typeof answer === 'function') return answer;
  if (!Array.isArray(answer)) return () => answer;
  return (_request, count) => answer[Math.min(count, answer.length - 1)] ?? {};
}

function needsTime(answer: AnswerOrNot): boolean {
  return typeof answer === 'object' && (answer.delayMs !== undefined || answer.after !== undefined);
}

async function giveLater(
  response: http.ServerResponse,
  chosen: AnswerOrNot | Promise<AnswerOrNot>,
): Promise<void> {
  try {
    const answer = await chosen;
    if (typeof answer === 'object') {
      await answer.after;
      if (answer.delayMs !== undefined) await delay(answer.delayMs, undefined, { ref: false });
    }
    give(response, answer);
  } catch (error) {
    give(response, { status: 500, body: `the test's answer failed: ${String(error)}` });
  }
}

function give(response: http.ServerResponse, answer: AnswerOrNot): void {
  if (answer === 'never') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status = 200, headers, body } = answer;
  response.writeHead(status, headers).end(body);
}
