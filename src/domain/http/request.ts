import type { HeaderList, HttpMethod, OutgoingRequest } from './exchange.ts';
import { encodePayload, payloadAsJson } from './payload.ts';
import type { Payload } from './payload.ts';
import { appendPayloadToUrl, dropFragment } from './query.ts';

/** The value that Node's own `fetch` sends. */
const USER_AGENT = 'node';

export interface RequestSpec {
  method: HttpMethod;
  /** As configured; `buildRequest` drops its fragment. */
  url: string;
  headers: HeaderList;
  payload: Payload;
}

/**
 * GET carries its payload in the URL. POST, PUT and PATCH always have a body, DELETE only if
 * the payload is not empty. 'query-too-long': the run fails without being sent.
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

const NO_HEADERS: HeaderList = [];

/** Of our own, such as a callback; unsigned (see `signRequest`). */
export function buildPost(url: string, json: string, headers = NO_HEADERS): OutgoingRequest {
  return {
    method: 'POST',
    url: dropFragment(url),
    headers: withDefaultHeaders(headers, true),
    body: Buffer.from(json),
  };
}

/** Including those that `outgoing` writes. */
export function frameHeaders({ url, headers, body }: OutgoingRequest): HeaderList {
  const framed: HeaderList[number][] = [['connection', 'keep-alive']];
  let hostHeader: HeaderList[number] | null = null;
  for (const header of headers) {
    if (header[0].toLowerCase() !== 'host') framed.push(header);
    else hostHeader ??= header;
  }
  framed.unshift(hostHeader ?? ['host', URL.parse(url)?.host ?? '']);
  if (body !== null) framed.push(['content-length', String(body.length)]);
  return framed;
}

const withDefaults = {
  body: new WeakMap<HeaderList, HeaderList>(),
  none: new WeakMap<HeaderList, HeaderList>(),
};

/**
 * Our own headers, then the configured ones, which replace ours of the same name. The same list gives the same result
 * again, so that callers can cache by it.
 */
function withDefaultHeaders(configured: HeaderList, hasBody: boolean): HeaderList {
  const known = withDefaults[hasBody ? 'body' : 'none'];
  let headers = known.get(configured);
  if (!headers) known.set(configured, (headers = addDefaults(configured, hasBody)));
  return headers;
}

function addDefaults(configured: HeaderList, hasBody: boolean): HeaderList {
  const has = (wanted: string) => configured.some(([name]) => name.toLowerCase() === wanted);
  const ours: [string, string][] = [];
  if (hasBody && !has('content-type')) ours.push(['Content-Type', 'application/json']);
  if (!has('user-agent')) ours.push(['User-Agent', USER_AGENT]);
  return [...ours, ...configured];
}
