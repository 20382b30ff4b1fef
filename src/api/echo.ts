import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Clock } from '#domain/base/clock';
import { ECHO_PATH } from '#domain/http/own-echo';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import { readBody } from './body.ts';
import { readClientAddress } from './client-address.ts';
import { MemoryRateLimiter } from './rate-limiter.ts';

/** Requests a minute from one client address. */
const MOST_A_MINUTE = 600;
const MOST_SHOWN_BYTES = 64 * 1024;
const LONGEST_DELAY_SECONDS = 60;
/** Responses that wait for their delay. */
const MOST_WAITING = 100;

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
/** Secret by name but shown: they are valid for one request only. */
const SHOWN = new Set(['x-service-signature', 'x-service-timestamp']);

interface EchoDeps {
  clock: Clock;
  trustedProxies: number;
  isSecretHeader: IsSecretHeader;
}

interface EchoOptions {
  status: number;
  delaySeconds: number;
  body: string | null;
}

/**
 * §2.12. The query can set `status`, `delay` in seconds, and `body`. Secret headers are left
 * out, because responses are kept in histories.
 */
export function createEcho(deps: EchoDeps): Hono<{ Bindings: HttpBindings }> {
  const { clock, trustedProxies, isSecretHeader } = deps;
  const limiter = new MemoryRateLimiter(MOST_A_MINUTE);
  let waiting = 0;
  /** Ends early if the caller goes away, so that others can have its place. */
  const wait = async (seconds: number, outgoing: Pick<ServerResponse, 'once' | 'off'>) => {
    waiting++;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(seconds * 1000, resolve);
    outgoing.once('close', resolve);
    await promise;
    cancel();
    outgoing.off('close', resolve);
    waiting--;
  };
  return new Hono<{ Bindings: HttpBindings }>().all(ECHO_PATH, async (c) => {
    const { incoming, outgoing } = c.env;
    const hit = await limiter.hit(readClientAddress(incoming, trustedProxies), clock.now());
    if (!hit.allowed) return refuse(429, `The echo answers ${MOST_A_MINUTE} requests a minute.`);
    const query = new URL(c.req.url).searchParams;
    const options = readOptions(query);
    if (typeof options === 'string') return refuse(400, options);
    const body = await readBody(incoming, clock);
    if (body === 'too-large') return refuse(413, 'The echo takes bodies of up to 1 MiB.');
    if (typeof body === 'string') return refuse(408, 'The body did not arrive in time.');
    // Before the wait, so that no large body is in memory during it.
    const described = describe(incoming, query, body, isSecretHeader);
    if (options.delaySeconds > 0) {
      if (waiting >= MOST_WAITING) return refuse(503, 'Too many answers wait for their delay.');
      await wait(options.delaySeconds, outgoing);
    }
    return answer(options, described);
  });
}

function readOptions(query: URLSearchParams): EchoOptions | string {
  const status = Number(query.get('status') ?? 200);
  if (!Number.isInteger(status) || status < 200 || status > 599)
    return 'status must be a whole number from 200 to 599.';
  const delaySeconds = Number(query.get('delay') ?? 0);
  if (!(delaySeconds >= 0 && delaySeconds <= LONGEST_DELAY_SECONDS))
    return `delay must be a number of seconds from 0 to ${LONGEST_DELAY_SECONDS}.`;
  return { status, delaySeconds, body: query.get('body') };
}

function describe(
  incoming: IncomingMessage,
  query: URLSearchParams,
  body: Buffer,
  isSecretHeader: IsSecretHeader,
): object {
  const isHidden = (name: string) => isSecretHeader(name) && !SHOWN.has(name.toLowerCase());
  const names = incoming.rawHeaders.filter((_, n) => n % 2 === 0);
  return {
    method: incoming.method ?? '',
    path: ECHO_PATH,
    query: Object.fromEntries(query),
    headers: names.map((name, n) => [
      name,
      isHidden(name) ? '[hidden]' : (incoming.rawHeaders[2 * n + 1] ?? ''),
    ]),
    body: body.subarray(0, MOST_SHOWN_BYTES).toString(),
    body_bytes: body.length,
  };
}

/** Responses that must not have a body. */
const BODILESS = new Set([204, 205, 304]);

function answer({ status, body }: EchoOptions, described: object): Response {
  if (BODILESS.has(status)) return new Response(null, { status, headers: HEADERS });
  if (body === null) return Response.json(described, { status, headers: HEADERS });
  const type = { 'Content-Type': 'text/plain; charset=utf-8' };
  return new Response(body, { status, headers: { ...HEADERS, ...type } });
}

function refuse(status: 400 | 408 | 413 | 429 | 503, message: string): Response {
  const retry = status === 429 || status === 503 ? { 'Retry-After': '60' } : {};
  return Response.json({ message }, { status, headers: { ...HEADERS, ...retry } });
}
