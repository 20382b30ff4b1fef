import type { ProviderLink } from '#store/people/provider-links';
import type { User } from '#store/people/users';
import type { Context } from './context.ts';
import { checkEmail, checkName, normalizeEmail, normalizeName } from './fields.ts';
import type { TooMany } from './outcomes.ts';
import { registerByProvider } from './registrations.ts';
import type { RequestContext } from './request-context.ts';

/** Finds and makes the accounts of people for whom the operator's provider or proxy vouches (§5.7). */

/** Whom the operator's provider, or the proxy in front, says that it has in front of it. */
export interface Vouched {
  link: ProviderLink;
  /** As it is written there; null where none is named, or it is not verified. */
  verifiedEmail: string | null;
  name: string | null;
  /** Null where nobody says which groups they are in. */
  groups: readonly string[] | null;
}

/** Why there is no account for somebody who is known by other means. */
export type NoAccount =
  /** No email is named that was verified, so nobody knows which account is meant. */
  | 'no-email'
  /** There is an account with this email, whose owner has not shown here that it is theirs. */
  | 'unconfirmed'
  /** The account with this email is somebody else's there. */
  | 'other-person'
  /** There is no account, and none may be made. */
  | 'no-account';

export type Found = { id: string; email: string; isNew?: boolean };

/**
 * The person's account: the one that is joined to them, or the one with their email, which is joined to them now. An
 * account that somebody else made under a victim's email must not become the victim's with them still in it.
 *
 * @param by  what people call the provider
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
  // A request beside this one may have made it.
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
    // A request beside this one may have joined it.
    const joined = await store.providerLinks.find(link);
    return joined?.id === user.id ? user : 'other-person';
  }
  const what = `sign-in by ${by}`;
  await activity.accountChanged(user.id, { action: 'account.provider', what });
  return user;
}
