import { createHash, hkdfSync, randomBytes } from 'node:crypto';

/** 256 random bits, in letters, digits, `-` and `_`. */
export function makeSecret(prefix = ''): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** What is kept of a token (§5.2): it is random enough that a plain SHA-256 can't be undone. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether it can be one of ours; anything else needs no look into the database. */
export function isTokenShaped(token: string): boolean {
  return /^[\w-]{32,128}$/.test(token);
}

export interface ApiToken {
  /** For its user alone, shown once. */
  text: string;
  hash: string;
  hint: string;
}

export function makeApiToken(): ApiToken {
  const text = makeSecret('belfry_');
  return { text, hash: hashToken(text), hint: text.slice(-4) };
}

/** A key of its own for each purpose, so that what signs cookies can't open secrets. */
export function deriveSecret(appKey: Uint8Array, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', appKey, '', purpose, 32)).toString('base64url');
}
