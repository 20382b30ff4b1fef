/** The request that a target receives (§2.6). */

import type { HeaderList, HttpMethod, OutgoingRequest } from './exchange.ts';
import { encodePayload, payloadAsJson } from './payload.ts';
import type { Payload } from './payload.ts';
import { appendPayloadToUrl } from './query.ts';

const USER_AGENT = 'undici';

export interface RequestSpec {
  method: HttpMethod;
  /** As configured; `buildRequest` drops its fragment. */
  url: string;
  headers: HeaderList;
  payload: Payload;
}

/**
 * Builds an unsigned request to a target (see `signRequest`).
 *
 * GET carries its payload in the URL. POST, PUT and PATCH always have a body, DELETE only if the payload is not
 * empty. Returns 'query-too-long' if a GET's payload cannot be written as a query (see `MAX_QUERY_LENGTH`); such a
 * run fails without being sent.
 */
export function buildRequest(spec: RequestSpec): OutgoingRequest | 'query-too-long' {
  const { method } = spec;
  const payload = payloadAsJson(spec.payload);
  const url = appendPayloadToUrl(spec.url, method === 'GET' ? payload : null);
  if (url === null) return 'query-too-long';
  const hasBody = method !== 'GET' && (method !== 'DELETE' || payload !== null);
  const body = hasBody ? encodePayload(payload) : null;
  return { method, url, headers: withDefaultHeaders(spec.headers, hasBody), body };
}

/**
 * All headers of the request, including those that `outgoing` itself writes when it sends (`Host`, `Connection`,
 * `Content-Length`).
 */
export function frameHeaders({ url, headers, body }: OutgoingRequest): HeaderList {
  const isHost = ([name]: readonly [string, string]) => name.toLowerCase() === 'host';
  const host = headers.find(isHost) ?? (['host', URL.parse(url)?.host ?? ''] as const);
  const framed: [string, string][] = [[...host], ['connection', 'keep-alive']];
  const others = headers.filter((header) => !isHost(header));
  const length = body === null ? [] : [['content-length', String(body.length)] as const];
  return [...framed, ...others, ...length];
}

/** Puts our own headers before the configured ones. A configured header of the same name replaces ours. */
export function withDefaultHeaders(configured: HeaderList, hasBody: boolean): HeaderList {
  const has = (wanted: string) => configured.some(([name]) => name.toLowerCase() === wanted);
  const ours: [string, string][] = [];
  if (hasBody && !has('content-type')) ours.push(['Content-Type', 'application/json']);
  if (!has('user-agent')) ours.push(['User-Agent', USER_AGENT]);
  return [...ours, ...configured];
}
