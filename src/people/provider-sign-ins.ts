import type { User } from '#store/people/users';
import type { Context, RequestContext } from './context.ts';
import { deleteCookie, readSigned, type SignedCookie, writeSigned } from './cookies.ts';
import { applyGroups } from './group-memberships.ts';
import { NOT_FOUND, type NotFound, type TooMany } from './outcomes.ts';
import { findOrMakeAccount, type Found, type NoAccount } from './provider-accounts.ts';
import { type ProviderAttempt, ProviderFault, type ProviderIdentity } from './provider.ts';
import { forgetProof, proveAgain } from './reauthentication.ts';
import { logRefused, open, type SignedIn } from './sessions.ts';

/**
 * §5.7. Issuer and subject identify the user. An account is linked only by an email that the provider has verified and
 * its owner has confirmed here. The provider decides about second factors.
 */

/** Pages have a text for each. */
export type ProviderRefusal =
  | 'away'
  | 'untrusted'
  | 'declined'
  /** Or begun in another browser. */
  | 'expired'
  | NoAccount;

interface Refusal {
  kind: 'refused-by-provider';
  why: ProviderRefusal;
  /** Deletes the attempt's cookie. */
  setCookies: string[];
}

const ATTEMPT: SignedCookie = { name: 'belfry_provider', validMs: 10 * 60_000 };
const LONGEST_NEXT = 1000;
/** OpenID Connect Core 1.0, part 2: `sub`. */
const LONGEST_SUBJECT = 255;

type Kept = ProviderAttempt & { next: string };

export function providerName(context: Context): string | null {
  return context.provider?.settings.name ?? null;
}

/** @param input `next`: the path to open afterwards; `isAgain`: replaces the password prompt */
export async function beginProviderSignIn(
  context: Context,
  { next, isAgain }: { next: string; isAgain: boolean },
  request: RequestContext,
): Promise<{ kind: 'begun'; url: string; setCookies: string[] } | Refusal | NotFound | TooMany> {
  const { provider } = context;
  if (provider === null) return NOT_FOUND;
  const tooMany = await context.limits.count('provider', request.clientAddress);
  if (tooMany) return tooMany;
  try {
    const { url, attempt } = await provider.begin(isAgain);
    const kept: Kept = { ...attempt, next: next.length > LONGEST_NEXT ? '/' : next };
    return {
      kind: 'begun',
      url,
      setCookies: [writeSigned(context, ATTEMPT, JSON.stringify(kept))],
    };
  } catch (error) {
    return explain(context, error, request);
  }
}

export async function finishProviderSignIn(
  context: Context,
  search: string,
  request: RequestContext,
): Promise<(SignedIn & { next: string }) | Refusal | NotFound | TooMany> {
  const { provider } = context;
  if (provider === null) return NOT_FOUND;
  const tooMany = await context.limits.count('provider', request.clientAddress);
  if (tooMany) return tooMany;
  const text = readSigned(context, ATTEMPT, request.headers);
  if (text === null) return refuse(context, 'expired', request);
  const { next, ...attempt } = JSON.parse(text) as Kept;
  try {
    const identity = await provider.finish(search, attempt);
    const found = await findUser(context, identity, next, request);
    if (typeof found === 'string') return refuse(context, found, request);
    if ('retryAfterSeconds' in found) return found;
    const { isNew = false, ...user } = found;
    await applyGroups(context, user.id, identity.groups);
    // The invitation of a new user is used up by now.
    const going = { next: isNew ? '/' : next, isAgain: attempt.isAgain };
    return await enter(context, user, going, request);
  } catch (error) {
    return explain(context, error, request);
  }
}

async function findUser(
  context: Context,
  identity: ProviderIdentity,
  next: string,
  request: RequestContext,
): Promise<Found | ProviderRefusal | TooMany> {
  if (identity.subject.length > LONGEST_SUBJECT) return 'untrusted';
  const issuer = context.provider?.settings.issuer ?? '';
  const externalIdentity = { ...identity, link: { issuer, subject: identity.subject } };
  const invitation = /^\/invitations\/([\w-]{32,128})(?:[?#]|$)/.exec(next)?.[1] ?? null;
  const by = providerName(context) ?? '';
  return findOrMakeAccount(context, externalIdentity, { by, invitation }, request);
}

async function enter(
  context: Context,
  user: Pick<User, 'id' | 'email'>,
  { next, isAgain }: { next: string; isAgain: boolean },
  request: RequestContext,
): Promise<(SignedIn & { next: string }) | Refusal> {
  const issuer = context.provider?.settings.issuer ?? '';
  const provider = { by: providerName(context) ?? '', issuer };
  const opened = await open(context, user, request, { provider });
  // The account was deleted meanwhile.
  if (!opened) return refuse(context, 'expired', request);
  const proof = isAgain ? proveAgain(context, opened.sessionId) : forgetProof(context);
  const setCookies = [...opened.setCookies, deleteCookie(context, ATTEMPT.name), proof];
  return { kind: 'signed-in', setCookies, next };
}

function explain(context: Context, error: unknown, request: RequestContext): Refusal {
  if (!(error instanceof ProviderFault)) throw error;
  const { code, message } = error;
  context.log.warn('account.provider-failed', { code, message, cause: causeOf(error) });
  if (code === 'PROVIDER_AWAY') return refuse(context, 'away', request);
  const { cause } = error as { cause?: { error?: unknown; code?: unknown } };
  const isDeclined = cause?.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';
  return refuse(context, isDeclined ? 'declined' : 'untrusted', request);
}

function refuse(context: Context, why: ProviderRefusal, request: RequestContext): Refusal {
  logRefused(context, `provider: ${why}`, request);
  return { kind: 'refused-by-provider', why, setCookies: [deleteCookie(context, ATTEMPT.name)] };
}

/** Such as `connect ECONNREFUSED 127.0.0.1:9`. */
function causeOf(error: Error): string | undefined {
  let deepest: unknown = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause; depth++)
    deepest = deepest.cause;
  return deepest instanceof Error ? deepest.message.slice(0, 300) : undefined;
}
