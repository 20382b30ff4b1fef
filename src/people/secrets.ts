import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** 256 random bits, in letters, digits, `-` and `_`. */
export function makeSecret(prefix = ''): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** A plain SHA-256 is enough for a random token (§5.2). */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Other texts need no look-up. */
export function isTokenShaped(token: string): boolean {
  return /^[\w-]{32,128}$/.test(token);
}

export interface ApiToken {
  /** Shown once. */
  text: string;
  hash: string;
  hint: string;
}

export function makeApiToken(): ApiToken {
  return makeToken('belfry_');
}

/** The prefix selects the table of the look-up, and shows where a leaked token is from. */
const SERVICE_PREFIX = 'belfry_service_';

export function makeServiceToken(): ApiToken {
  return makeToken(SERVICE_PREFIX);
}

export function isServiceToken(token: string): boolean {
  return token.startsWith(SERVICE_PREFIX);
}

function makeToken(prefix: string): ApiToken {
  const text = makeSecret(prefix);
  return { text, hash: hashToken(text), hint: text.slice(-4) };
}

/** A key for each purpose, so that the key for cookies can't open secrets. */
export function deriveSecret(appKey: Uint8Array, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', appKey, '', purpose, 32)).toString('base64url');
}

/** Proves that the text is from this installation. */
export function macOf(appKey: Uint8Array, purpose: string, text: string): string {
  return createHmac('sha256', deriveSecret(appKey, purpose)).update(text).digest('base64url');
}
