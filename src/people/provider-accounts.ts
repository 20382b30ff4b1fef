import { normalizeEmail } from '#domain/team/email-address';
import type { ProviderLink } from '#store/people/provider-links';
import type { User } from '#store/people/users';
import type { Context, RequestContext } from './context.ts';
import { checkEmail, checkName, normalizeName } from './fields.ts';
import type { TooMany } from './outcomes.ts';
import { PROXY_NAME } from './proxy-claim.ts';
import { registerByProvider } from './registrations.ts';

/** The claims of a provider or proxy about a user (§5.7). */
export interface ExternalIdentity {
  link: ProviderLink;
  /** Null if missing or not verified. */
  verifiedEmail: string | null;
  name: string | null;
  /** Null if none were sent. */
  groups: readonly string[] | null;
}

export type NoAccount =
  | 'no-email'
  /** The owner of the account hasn't confirmed the email here. */
  | 'unconfirmed'
  | 'other-person'
  | 'no-account';

type Found = { id: string; email: string; isNew?: boolean };

/** The email must be confirmed here: otherwise an attacker could make an account with a victim's email and share it. */
export async function findAccount(
  context: Context,
  { link, verifiedEmail }: ExternalIdentity,
): Promise<Found | NoAccount> {
  const { store } = context;
  const linked = await store.providerLinks.find(link);
  if (linked) return linked;
  const email = normalizeEmail(verifiedEmail ?? '');
  if (checkEmail(email).length > 0) return 'no-email';
  const known = await store.users.findByEmail(email);
  if (!known) return 'no-account';
  return known.isEmailVerified ? join(context, known, link) : 'unconfirmed';
}

export async function findOrMakeAccount(
  context: Context,
  identity: ExternalIdentity,
  invitation: string | null,
  request: RequestContext,
): Promise<Found | NoAccount | TooMany> {
  const found = await findAccount(context, identity);
  if (found !== 'no-account') return found;
  const { link, name } = identity;
  const email = normalizeEmail(identity.verifiedEmail ?? '');
  const ofEmail = email.split('@')[0] ?? email;
  const called = normalizeName(name ?? ofEmail);
  const person = { name: checkName(called, 'a name').length > 0 ? ofEmail : called, email, link };
  const made = await registerByProvider(
    context,
    person,
    { invitation, groups: identity.groups ?? [] },
    request,
  );
  // A simultaneous request may have made it.
  if (made === null) return findAccount(context, identity);
  return 'kind' in made ? made : { ...made, isNew: true };
}

async function join(context: Context, user: User, link: ProviderLink): Promise<Found | NoAccount> {
  const { store, clock, activity, config } = context;
  const isJoined = await store.providerLinks.add(user.id, link, clock.now());
  if (!isJoined) {
    // A simultaneous request may have linked it.
    const joined = await store.providerLinks.find(link);
    return joined?.id === user.id ? user : 'other-person';
  }
  const what = `sign-in by ${config.provider?.name ?? PROXY_NAME}`;
  await activity.accountChanged(user.id, { action: 'account.provider', what });
  return user;
}
