import { createHash, hkdfSync, randomBytes } from 'node:crypto';

/** 256 random bits, in letters, digits, `-` and `_`. */
export function makeSecret(prefix = ''): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** The hash that is stored of a token (§5.2). The token is so random that a plain SHA-256 can't be reversed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a text has the form of our tokens; other texts need no look-up. */
export function isTokenShaped(token: string): boolean {
  return /^[\w-]{32,128}$/.test(token);
}

export interface ApiToken {
  /** The token itself, shown once to its user. */
  text: string;
  hash: string;
  hint: string;
}

export function makeApiToken(): ApiToken {
  const text = makeSecret('belfry_');
  return { text, hash: hashToken(text), hint: text.slice(-4) };
}

/** Derives a separate key for each purpose, so that the key that signs cookies can't open secrets. */
export function deriveSecret(appKey: Uint8Array, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', appKey, '', purpose, 32)).toString('base64url');
}
