import { createHmac } from 'node:crypto';
import type { User } from '#store/people/users';
import type { Store } from '#store/store';
import type { Context } from './context.ts';
import { isSame } from './cookies.ts';
import { writeEmailChangeAskedMail, writeEmailChangeMail, writeEmailMail } from './mails.ts';
import { deriveSecret, hashToken, isTokenShaped, makeSecret } from './secrets.ts';

const CONFIRM = 'change-email';
const STOP = 'stop-email-change';
const VALID_MS = 60 * 60_000;

/**
 * The links that prove that a person reads the mails of an address, and the link that stops a change of the address.
 */

/** Mails the link with which the user's present address is confirmed. */
export async function mailConfirmation(
  context: Context,
  { id, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  const { limits, mailer } = context;
  if (await limits.count('mailbox', email)) return;
  const token = makeSecret();
  const oneTimeToken = { purpose: CONFIRM, hash: hashToken(token), whom: id, detail: email };
  await keep(context, [oneTimeToken]);
  await mailer.send(writeEmailMail(email, linkOf(context, token)));
}

/**
 * Mails the links of a change of address. If the new address has an account already, it gets no mail, and the answer
 * does not tell. The old address gets a mail in any case: a thief with a session and the password must not be able to
 * take the account unnoticed.
 */
export async function mailChange(context: Context, user: User, email: string): Promise<void> {
  const { store, limits, mailer, config } = context;
  const { baseUrl } = config;
  if (user.email === email) return;
  const [confirm, stop] = [makeSecret(), makeSecret()];
  await keep(context, [
    { purpose: CONFIRM, hash: hashToken(confirm), whom: user.id, detail: email },
    { purpose: STOP, hash: hashToken(stop), whom: user.id },
  ]);
  const stopLink = `${baseUrl}/stop-email-change/${stop}`;
  await mailer.send(writeEmailChangeAskedMail(user.email, email, stopLink));
  const holder = await store.users.findByEmail(email);
  if (holder || (await limits.count('mailbox', email))) return;
  await mailer.send(writeEmailChangeMail(email, linkOf(context, confirm)));
}

/** Makes the address the user's and marks it as confirmed. Null: the link was used, replaced or has expired. */
export async function useConfirmation(
  context: Context,
  token: string,
): Promise<{ user: User; email: string } | null> {
  if (!isTokenShaped(token)) return null;
  const { store, clock } = context;
  const now = clock.now();
  const taken = await store.oneTimeTokens.take(CONFIRM, hashToken(token), now);
  const user = taken && (await store.users.find(taken.whom));
  if (!user) return null;
  const { detail: email } = taken;
  const change = { email, isVerified: true };
  return (await store.users.changeEmail(user.id, change, now)) ? { user, email } : null;
}

/** Stops a change of address. False: the link was used or has expired, or the change has been made already. */
export async function useStop(context: Context, token: string): Promise<boolean> {
  if (!isTokenShaped(token)) return false;
  const { store, clock } = context;
  return store.oneTimeTokens.stop(STOP, hashToken(token), CONFIRM, clock.now());
}

/**
 * The mark in the link that is mailed with an invitation; the link that the inviter may copy has none. It proves that
 * its bearer reads the mails of the invited address.
 */
export function markOf(context: Context, invitationToken: string, email: string): string {
  return createHmac('sha256', deriveSecret(context.config.appKey, 'belfry mailed invitations'))
    .update(`${invitationToken} ${email}`)
    .digest('base64url');
}

export function isMarkOf(
  context: Context,
  given: string,
  invitationToken: string,
  email: string,
): boolean {
  return isSame(given, markOf(context, invitationToken, email));
}

function linkOf(context: Context, token: string): string {
  return `${context.config.baseUrl}/confirm-email/${token}`;
}

function keep(
  context: Context,
  tokens: Parameters<Store['oneTimeTokens']['replace']>[0],
): Promise<void> {
  const now = context.clock.now();
  return context.store.oneTimeTokens.replace(tokens, { expiresAt: now + VALID_MS, now });
}
