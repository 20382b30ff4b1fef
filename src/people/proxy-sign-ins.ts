import type { Arrival } from '#domain/http/arrival';
import { PROXY_ISSUER } from '#store/people/provider-links';
import type { Context, RequestContext } from './context.ts';
import { applyGroups } from './group-memberships.ts';
import { DONE, type Done, type TooMany } from './outcomes.ts';
import {
  findAccount,
  findOrMakeAccount,
  type NoAccount,
  type ExternalIdentity,
} from './provider-accounts.ts';
import { type ProxyClaim, readProxyClaim } from './proxy-claim.ts';
import { isTokenShaped } from './secrets.ts';
import { logRefused, ofProxied, type Session, whoIs } from './sessions.ts';

/**
 * The proxy names the user in headers of each request (§5.7). There is no session. For pages only; the API uses
 * tokens.
 */

export type ProxyRefusal =
  /** Contradicting headers, or no email. */
  'untrusted' | 'too-many' | NoAccount;

export interface Arrived {
  session: Session | null;
  refusal: ProxyRefusal | null;
}

type Person = Extract<ProxyClaim, { kind: 'person' }>;

export function hasProxy(context: Context): boolean {
  return context.config.proxySignIn !== null;
}

export function proxySignOutUrl(context: Context): string | null {
  return context.config.proxySignIn?.signOutUrl ?? null;
}

/** Null if it names none, or the request isn't from the proxy. */
export function whoByProxy(context: Context, arrival: Arrival): ProxyClaim | null {
  const { proxySignIn } = context.config;
  return proxySignIn && readProxyClaim(arrival, proxySignIn);
}

/**
 * @param lets `joined`: linked users; `known`: also users with an account of that email; `anybody`: also new users, if
 * they may register
 */
export async function arrive(
  context: Context,
  request: RequestContext,
  lets: 'joined' | 'known' | 'anybody',
): Promise<Arrived> {
  const { claim } = request;
  if (!claim) return { session: await whoIs(context, request), refusal: null };
  if (claim.kind === 'untrusted') return refuse(context, 'untrusted', request);
  const found = await find(context, claim, request, lets);
  if (found === null) return { session: null, refusal: null };
  if (typeof found === 'string') return refuse(context, found, request);
  if (claim.groups !== null) await applyGroups(context, found.id, claimedGroups(claim.groups));
  return { session: await ofProxied(context, found.id), refusal: null };
}

export async function registerByProxy(
  context: Context,
  invitation: string,
  request: RequestContext,
): Promise<Done | { kind: 'refused-by-proxy'; why: ProxyRefusal } | TooMany> {
  const { claim } = request;
  if (claim?.kind !== 'person' || !isTokenShaped(invitation)) {
    return { kind: 'refused-by-proxy', why: 'untrusted' };
  }
  const found = await findOrMakeAccount(context, identityOf(claim), invitation, request);
  if (typeof found === 'string') return { kind: 'refused-by-proxy', why: found };
  return 'retryAfterSeconds' in found ? found : DONE;
}

async function find(
  context: Context,
  claim: Person,
  request: RequestContext,
  lets: 'joined' | 'known' | 'anybody',
): Promise<{ id: string } | ProxyRefusal | null> {
  const { store } = context;
  const identity = identityOf(claim);
  if (lets === 'joined') return store.providerLinks.find(identity.link);
  if (lets === 'known') return findAccount(context, identity);
  const found = await findOrMakeAccount(context, identity, null, request);
  return typeof found === 'object' && 'retryAfterSeconds' in found ? 'too-many' : found;
}

function refuse(context: Context, refusal: ProxyRefusal, request: RequestContext): Arrived {
  logRefused(context, `proxy: ${refusal}`, request);
  return { session: null, refusal };
}

/** Proxies omit the header without groups, or send it empty; both look like a header that isn't configured. */
const claimedGroups = (groups: readonly string[]) => (groups.length === 0 ? null : groups);

function identityOf({ email, name, groups }: Person): ExternalIdentity {
  const link = { issuer: PROXY_ISSUER, subject: email };
  return { link, verifiedEmail: email, name, groups };
}
