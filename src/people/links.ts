import { DAY_MS, MINUTE_MS } from '#domain/base/instant';
import type { TakenToken } from '#store/people/one-time-tokens';
import type { Context } from './context.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/** One-time secrets: links in mails, and cookies between the steps of a sign-in. The database has a hash of each. */

/** Long enough for a slow mail; others may read the mailbox later. */
const LINK_MS = 60 * MINUTE_MS;

const KINDS = {
  'reset-password': { path: '/reset-password', validMs: LINK_MS },
  'change-email': { path: '/confirm-email', validMs: LINK_MS },
  'stop-email-change': { path: '/stop-email-change', validMs: LINK_MS },
  // Its recipient didn't ask for it and may read it late; it gives access to nothing.
  'confirm-address': { path: '/confirm-address', validMs: 7 * DAY_MS },
  'sign-up': { path: '/register', validMs: LINK_MS },
  'second-factor': { path: null, validMs: 10 * MINUTE_MS },
  'passkey-sign-in': { path: null, validMs: 5 * MINUTE_MS },
  'passkey-add': { path: null, validMs: 5 * MINUTE_MS },
} as const;
export type Purpose = keyof typeof KINDS;

interface Wanted {
  purpose: Purpose;
  whom: string;
  detail?: string;
  /** Earlier ones of the same purpose and user stop working. */
  replaces?: boolean;
}

export const validMsOf = (purpose: Purpose): number => KINDS[purpose].validMs;

export async function makeOneTimeSecret(
  { store, clock }: Context,
  { purpose, whom, detail = '', replaces = false }: Wanted,
): Promise<string> {
  const secret = makeSecret();
  const expiresAt = clock.now() + KINDS[purpose].validMs;
  const token = { purpose, hash: hashToken(secret), whom, detail, expiresAt };
  await store.oneTimeTokens.add(token, { replaces });
  return secret;
}

export async function makeLink(context: Context, wanted: Wanted): Promise<string> {
  const { baseUrl } = context.config;
  return `${baseUrl}${KINDS[wanted.purpose].path}/${await makeOneTimeSecret(context, wanted)}`;
}

/** Null if the text can't be a secret. */
export function keyOf(purpose: Purpose, secret: string | null) {
  return secret !== null && isTokenShaped(secret) ? { purpose, hash: hashToken(secret) } : null;
}

/** The secret stays valid. Null: used, replaced or expired. */
export async function readSecret(
  { store, clock }: Context,
  purpose: Purpose,
  secret: string | null,
): Promise<TakenToken | null> {
  const key = keyOf(purpose, secret);
  return key && store.oneTimeTokens.read(key, clock.now());
}

/** Of several simultaneous callers one gets it. */
export async function takeSecret(
  { store, clock }: Context,
  purpose: Purpose,
  secret: string | null,
): Promise<TakenToken | null> {
  const key = keyOf(purpose, secret);
  return key && store.oneTimeTokens.take(key, clock.now());
}
