import { createHmac } from 'node:crypto';

import { type Exchange, type HeaderList, isSent, type OutgoingRequest } from './exchange.ts';

export const SIGNATURE_HEADER = 'X-Service-Signature';
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';

export interface Signature {
  timestamp: number;
  value: string;
  /** Lets users recognize the secret. */
  secretEnd: string;
}

/** Enough to distinguish two secrets of a team. */
export const endOfSecret = (secret: string): string => secret.slice(-4);

/** HMAC-SHA256 in hexadecimal (§5.6). */
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
 * Null without a secret.
 * @param nowMs the time of sending
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

/** Null if the request was not sent. */
export function signatureOf(exchange: Exchange, made: Signature | null): Signature | null {
  return isSent(exchange.trace.timing) ? made : null;
}

/** Removes configured headers of the same names: anyone can write them. */
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

export function withoutSignature(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !isOurs(name));
}

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
