/** Signing of requests and callbacks (§5.6, D19). */

import { createHmac } from 'node:crypto';

import type { OutgoingRequest } from './exchange.ts';

export const SIGNATURE_HEADER = 'X-Service-Signature';
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';

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
 * Adds signature and timestamp to a request that is about to be sent.
 *
 * Configured headers of these names give way: one that anybody can write must not stand beside ours.
 *
 * @param nowMs  the moment of sending, in milliseconds since 1970 UTC
 */
export function signRequest(
  request: OutgoingRequest,
  secret: string,
  nowMs: number,
): OutgoingRequest {
  const timestamp = Math.floor(nowMs / 1000);
  const others = request.headers.filter(([name]) => !isOurs(name));
  const signature = signBody(secret, timestamp, request.body);
  return {
    ...request,
    headers: [...others, [SIGNATURE_HEADER, signature], [TIMESTAMP_HEADER, String(timestamp)]],
  };
}

function isOurs(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === SIGNATURE_HEADER.toLowerCase() || lower === TIMESTAMP_HEADER.toLowerCase();
}
