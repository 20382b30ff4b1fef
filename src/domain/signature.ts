/** Signing of requests and callbacks (§5.6). */

import { createHmac } from 'node:crypto';

import type { Exchange, HeaderList, OutgoingRequest } from './exchange.ts';

export const SIGNATURE_HEADER = 'X-Service-Signature';
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';

/** The contents of the two headers of a signed request. */
export interface Signature {
  /** Unix time in seconds. */
  timestamp: number;
  /** 64 lower-case hexadecimal digits. */
  value: string;
  /** The last characters of the secret, so that users can recognize it; absent in older runs. */
  secretEnd?: string;
}

/** The part of a secret that may be shown. It is enough to distinguish two secrets of a team. */
export const endOfSecret = (secret: string): string => secret.slice(-4);

/**
 * HMAC-SHA256 over `<timestamp>.<body>`, as 64 lower-case hexadecimal digits. The key is the secret's text;
 * no body counts as an empty one.
 */
export function signBody(
  secret: string,
  timestampSeconds: number,
  body: Uint8Array | null,
): string {
  const hmac = createHmac('sha256', secret).update(`${timestampSeconds}.`);
  if (body) hmac.update(body);
  return hmac.digest('hex');
}

/**
 * Makes the signature of a request that is about to be sent; null without a secret.
 *
 * @param nowMs  the moment of sending, in milliseconds since 1970 UTC
 */
export function makeSignature(
  secret: string | null,
  nowMs: number,
  body: Uint8Array | null,
): Signature | null {
  if (secret === null) return null;
  const timestamp = Math.floor(nowMs / 1000);
  const value = signBody(secret, timestamp, body);
  return { timestamp, value, secretEnd: endOfSecret(secret) };
}

/** The signature to show with a run: null if the request was refused before it was sent. */
export function signatureOf(exchange: Exchange, made: Signature | null): Signature | null {
  return exchange.kind === 'blocked' || exchange.kind === 'unresolvable' ? null : made;
}

/**
 * Adds the headers of a signature, if there is one.
 *
 * Configured headers of the same names are removed: anyone can write such a header, so it must not be sent next to
 * ours.
 */
export function addSignature(
  request: OutgoingRequest,
  signature: Signature | null,
): OutgoingRequest {
  if (signature === null) return request;
  const others = withoutSignature(request.headers);
  const { timestamp, value } = signature;
  return {
    ...request,
    headers: [...others, [SIGNATURE_HEADER, value], [TIMESTAMP_HEADER, String(timestamp)]],
  };
}

/** The headers without those of a signature, whether ours or configured. */
export function withoutSignature(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !isOurs(name));
}

/** The request with its signature, made at this moment (see `makeSignature` and `addSignature`). */
export function signRequest(
  request: OutgoingRequest,
  secret: string | null,
  nowMs: number,
): OutgoingRequest {
  return addSignature(request, makeSignature(secret, nowMs, request.body));
}

function isOurs(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === SIGNATURE_HEADER.toLowerCase() || lower === TIMESTAMP_HEADER.toLowerCase();
}
