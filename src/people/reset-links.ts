import type { NewPassword } from '#store/people/one-time-tokens';
import type { Context } from './context.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/** Long enough for a slow mail, and short because somebody else may read the mailbox later. */
const VALID_MS = 60 * 60_000;
const PURPOSE = 'reset-password';

/** Links that let their bearer set a new password, once (§5.7). */

/** Makes a link; earlier ones of the user stop working. */
export async function makeOnlyResetLink(context: Context, userId: string): Promise<string> {
  const { oneTimeToken, times, link } = draft(context, userId);
  await context.store.oneTimeTokens.replace([oneTimeToken], times);
  return link;
}

/**
 * Makes a link; earlier ones stay valid, so that a stranger who asks for one in a user's name does not spoil the link
 * that the user waits for. The first one that is used ends them all.
 */
export async function makeAnotherResetLink(context: Context, userId: string): Promise<string> {
  const { oneTimeToken, times, link } = draft(context, userId);
  await context.store.oneTimeTokens.add(oneTimeToken, times);
  return link;
}

export async function isResetLinkValid(context: Context, token: string): Promise<boolean> {
  if (!isTokenShaped(token)) return false;
  const { store, clock } = context;
  return store.oneTimeTokens.isValid(PURPOSE, hashToken(token), clock.now());
}

/**
 * Sets the password and ends all access to the account. Gives the user's id; null: the link was used, replaced or has
 * expired.
 */
export async function useResetLink(
  context: Context,
  token: string,
  password: NewPassword,
): Promise<string | null> {
  if (!isTokenShaped(token)) return null;
  const { store, clock } = context;
  return store.oneTimeTokens.resetPassword(PURPOSE, hashToken(token), password, clock.now());
}

function draft(context: Context, userId: string) {
  const { clock, config } = context;
  const { baseUrl } = config;
  const token = makeSecret();
  const now = clock.now();
  return {
    oneTimeToken: { purpose: PURPOSE, hash: hashToken(token), whom: userId },
    times: { expiresAt: now + VALID_MS, now },
    link: `${baseUrl}/reset-password/${token}`,
  };
}
