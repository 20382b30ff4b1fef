import type { Context, RequestContext } from './context.ts';
import { deleteCookie, readSigned, type SignedCookie, writeSigned } from './cookies.ts';
import { applyGroups } from './group-memberships.ts';
import { NOT_FOUND, type NotFound, type TooMany } from './outcomes.ts';
import { findOrMakeAccount, type NoAccount } from './provider-accounts.ts';
import { type Provider, type ProviderAttempt, ProviderFault } from './provider.ts';
import { forgetProof, proveAgain } from './reauthentication.ts';
import { logRefused, open } from './sessions.ts';

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
  /** The browser began another sign-in after it, such as in a second tab. */
  | 'outdated'
  | NoAccount;

interface Refusal {
  kind: 'refused-by-provider';
  why: ProviderRefusal;
  /** Deletes the attempt's cookie, unless the attempt may still succeed. */
  setCookies: string[];
  /** The page that this browser asked for, if the attempt has ended or was overtaken. */
  next: string | null;
}

const VALID_MS = 10 * 60_000;
const ATTEMPT: SignedCookie = { name: 'belfry_provider', validMs: VALID_MS };
/** By state, of attempts of all tabs: the first tab that finishes signs in the others. */
const PAGES: SignedCookie = { name: 'belfry_provider_pages', validMs: VALID_MS };
const MOST_PAGES = 5;
const LONGEST_PAGES = 1500;
const LONGEST_NEXT = 1000;
/** OpenID Connect Core 1.0, part 2: `sub`. */
const LONGEST_SUBJECT = 255;

type Kept = ProviderAttempt & { next: string };

export function providerName(context: Context): string | null {
  return context.provider?.settings.name ?? null;
}

/** Limits requests, and explains faults of the provider. */
function atProvider<Given, Result>(
  act: (
    context: Context,
    provider: Provider,
    given: Given,
    request: RequestContext,
  ) => Promise<Result>,
) {
  return async (
    context: Context,
    given: Given,
    request: RequestContext,
  ): Promise<Result | Refusal | NotFound | TooMany> => {
    const { provider, limits } = context;
    if (provider === null) return NOT_FOUND;
    const tooMany = await limits.count('provider', request.clientAddress);
    if (tooMany) return tooMany;
    try {
      return await act(context, provider, given, request);
    } catch (error) {
      return explain(context, error, request);
    }
  };
}

/** `next`: the path to open afterwards; `isAgain`: replaces the password prompt. */
export const beginProviderSignIn = atProvider(
  async (
    context,
    provider,
    { next: asked, isAgain }: { next: string; isAgain: boolean },
    { headers },
  ) => {
    const { url, attempt } = await provider.begin(isAgain);
    const next = asked.length > LONGEST_NEXT ? '/' : asked;
    const kept: Kept = { ...attempt, next };
    const setCookies = [writeSigned(context, ATTEMPT, JSON.stringify(kept))];
    if (!isAgain) {
      const pages = readPages(context, headers).slice(1 - MOST_PAGES);
      setCookies.push(writePages(context, [...pages, [attempt.state, next]]));
    }
    return { kind: 'begun', url, setCookies } as const;
  },
);

/** @param search the query of the return address */
export const finishProviderSignIn = atProvider(
  async (context, provider, search: string, request) => {
    const text = readSigned(context, ATTEMPT, request.headers);
    const state = new URLSearchParams(search).get('state');
    const page = readPages(context, request.headers).find(([of]) => of === state)?.[1] ?? null;
    if (text === null) return { ...refuse(context, 'expired', request), next: page };
    const { next, ...attempt } = JSON.parse(text) as Kept;
    if (state !== attempt.state)
      return { ...refuse(context, 'outdated', request), setCookies: [], next: page };
    const identity = await provider.finish(search, attempt);
    const { settings } = provider;
    const link = { issuer: settings.issuer, subject: identity.subject };
    const invitation = /^\/invitations\/([\w-]{32,128})(?:[?#]|$)/.exec(next)?.[1] ?? null;
    if (link.subject.length > LONGEST_SUBJECT) return refuse(context, 'untrusted', request);
    const found = await findOrMakeAccount(context, { ...identity, link }, invitation, request);
    if (typeof found === 'string') return refuse(context, found, request);
    if ('retryAfterSeconds' in found) return found;
    await applyGroups(context, found.id, identity.groups);
    const opened = await open(context, found, request, { provider: settings });
    // The account was deleted meanwhile.
    if (!opened) return refuse(context, 'expired', request);
    const proof = attempt.isAgain ? proveAgain(context, opened.sessionId) : forgetProof(context);
    const setCookies = [...opened.setCookies, deleteCookie(context, ATTEMPT.name), proof];
    // The invitation of a new user is used up by now.
    return { kind: 'signed-in' as const, setCookies, next: found.isNew ? '/' : next };
  },
);

type Pages = (readonly [state: string, next: string])[];

function readPages(context: Context, headers: Headers): Pages {
  const text = readSigned(context, PAGES, headers);
  return text === null ? [] : (JSON.parse(text) as Pages);
}

/** Without the earliest ones, if it would be too long for a cookie. */
function writePages(context: Context, pages: Pages): string {
  let kept = pages;
  while (JSON.stringify(kept).length > LONGEST_PAGES) kept = kept.slice(1);
  return writeSigned(context, PAGES, JSON.stringify(kept));
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
  const setCookies = [deleteCookie(context, ATTEMPT.name)];
  return { kind: 'refused-by-provider', why, setCookies, next: null };
}

/** Such as `connect ECONNREFUSED 127.0.0.1:9`, or `invalid_client: …` in the words of the provider. */
function causeOf(error: Error): string {
  let deepest = error;
  for (let depth = 0; depth < 5 && deepest.cause instanceof Error; depth++) deepest = deepest.cause;
  const { cause } = deepest;
  if (cause instanceof Response) return `${deepest.message}: HTTP ${cause.status}`;
  const { error: code, error_description: why } = deepest as OAuthError;
  const texts = typeof code === 'string' ? [code, why] : [deepest.message];
  return texts
    .filter((text) => typeof text === 'string')
    .join(': ')
    .slice(0, 300);
}

/** RFC 6749, 5.2. */
interface OAuthError extends Error {
  error?: unknown;
  error_description?: unknown;
}
