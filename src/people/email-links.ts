import { createHmac } from 'node:crypto';
import type { User } from '#store/people/users';
import type { Context } from './context.ts';
import { isSame } from './cookies.ts';
import { keyOf, mailLink, makeLinks, takeSecret } from './links.ts';
import { writeEmailChangeAskedMail, writeEmailChangeMail, writeEmailMail } from './mails.ts';
import { deriveSecret } from './secrets.ts';

/** The links prove that a person reads an address's mails; one stops a change of the address. */

export async function mailConfirmation(
  context: Context,
  { id, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  const link = { purpose: 'change-email', whom: id, detail: email, to: email } as const;
  const limits = [['mailbox', email]] as ['mailbox', string][];
  await mailLink(context, { ...link, limits, replaces: true }, writeEmailMail);
}

/**
 * If the new address has an account, it gets no mail and the response is the same. The old address always gets one, so
 * a thief can't take the account unnoticed.
 */
export async function mailChange(context: Context, user: User, email: string): Promise<void> {
  const { store, limits, mailer } = context;
  if (user.email === email) return;
  const [confirmLink = '', stopLink = ''] = await makeLinks(
    context,
    [
      { purpose: 'change-email', whom: user.id, detail: email },
      { purpose: 'stop-email-change', whom: user.id },
    ],
    { replaces: true },
  );
  await mailer.send(writeEmailChangeAskedMail(user.email, email, stopLink));
  const holder = await store.users.findByEmail(email);
  if (holder || (await limits.count('mailbox', email))) return;
  await mailer.send(writeEmailChangeMail(email, confirmLink));
}

export async function useConfirmation(
  context: Context,
  token: string,
): Promise<{ user: User; email: string } | null> {
  const { store, clock } = context;
  const taken = await takeSecret(context, 'change-email', token);
  const user = taken && (await store.users.find(taken.whom));
  if (!user) return null;
  const { detail: email } = taken;
  const change = { email, isVerified: true };
  return (await store.users.changeEmail(user.id, change, clock.now())) ? { user, email } : null;
}

/** False: used, expired, or the change has been made. */
export async function useStop({ store, clock }: Context, token: string): Promise<boolean> {
  const key = keyOf('stop-email-change', token);
  if (!key) return false;
  return store.oneTimeTokens.stop(key, 'change-email', clock.now());
}

/**
 * Marks the mailed link of an invitation; the copied link has none. It proves that its bearer reads the address's
 * mails.
 */
export function markOf({ config }: Context, invitationToken: string, email: string): string {
  return createHmac('sha256', deriveSecret(config.appKey, 'belfry mailed invitations'))
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
