import type { ProviderLink } from '#store/people/provider-links';
import type { User } from '#store/people/users';
import type { Context } from './context.ts';
import { checkEmail, checkName, normalizeEmail, normalizeName } from './fields.ts';
import type { TooMany } from './outcomes.ts';
import { registerByProvider } from './registrations.ts';
import type { RequestContext } from './request-context.ts';

/** Finds and makes the accounts of users whom the provider or proxy has identified (§5.7). */

/** The identity that the provider, or the proxy in front, has sent. */
export interface Vouched {
  link: ProviderLink;
  /** As sent; null if it is missing or not verified. */
  verifiedEmail: string | null;
  name: string | null;
  /** Null if no groups were sent. */
  groups: readonly string[] | null;
}

/** Why an identified user has no account. */
export type NoAccount =
  /** There is no verified email, so no account can be selected. */
  | 'no-email'
  /** There is an account with this email, but its owner has not confirmed the email here. */
  | 'unconfirmed'
  /** The account with this email is linked to another identity. */
  | 'other-person'
  /** There is no account, and none may be made. */
  | 'no-account';

export type Found = { id: string; email: string; isNew?: boolean };

/**
 * The user's account: the linked one, or the one with their email, which is linked now. That email must be confirmed
 * here: otherwise an attacker could make an account with a victim's email and share it with the victim.
 *
 * @param by  the provider's name
 */
export async function findAccount(
  context: Context,
  { link, verifiedEmail }: Vouched,
  by: string,
): Promise<Found | NoAccount> {
  const { store } = context;
  const linked = await store.providerLinks.find(link);
  if (linked) return linked;
  const email = normalizeEmail(verifiedEmail ?? '');
  if (checkEmail(email).length > 0) return 'no-email';
  const known = await store.users.findByEmail(email);
  if (!known) return 'no-account';
  return known.isEmailVerified ? join(context, known, link, by) : 'unconfirmed';
}

/**
 * Finds the account, or makes one.
 *
 * @param invitation  the token of the invitation that they came by
 */
export async function findOrMakeAccount(
  context: Context,
  vouched: Vouched,
  { by, invitation }: { by: string; invitation: string | null },
  request: RequestContext,
): Promise<Found | NoAccount | TooMany> {
  const found = await findAccount(context, vouched, by);
  if (found !== 'no-account') return found;
  const { link, name } = vouched;
  const email = normalizeEmail(vouched.verifiedEmail ?? '');
  const ofEmail = email.split('@')[0] ?? email;
  const called = normalizeName(name ?? ofEmail);
  const person = { name: checkName(called, 'a name').length > 0 ? ofEmail : called, email, link };
  const made = await registerByProvider(
    context,
    person,
    { invitation, groups: vouched.groups ?? [] },
    request,
  );
  // A simultaneous request may have made it.
  if (made === null) return findAccount(context, vouched, by);
  return 'kind' in made ? made : { ...made, isNew: true };
}

async function join(
  context: Context,
  user: User,
  link: ProviderLink,
  by: string,
): Promise<Found | NoAccount> {
  const { store, clock, activity } = context;
  const isJoined = await store.providerLinks.add(user.id, link, clock.now());
  if (!isJoined) {
    // A simultaneous request may have linked it.
    const joined = await store.providerLinks.find(link);
    return joined?.id === user.id ? user : 'other-person';
  }
  const what = `sign-in by ${by}`;
  await activity.accountChanged(user.id, { action: 'account.provider', what });
  return user;
}
