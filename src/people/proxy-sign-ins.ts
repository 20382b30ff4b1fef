import type { Arrival } from '#domain/arrival';
import { PROXY_ISSUER } from '#store/people/provider-links';
import type { Store } from '#store/store';
import type { PeopleConfig } from './config.ts';
import type { GroupMemberships } from './group-memberships.ts';
import type { Limits } from './limits.ts';
import type { TooMany } from './outcomes.ts';
import type { NoAccount, ProviderAccounts, Vouched } from './provider-accounts.ts';
import { type ProxyClaim, readProxyClaim } from './proxy-claim.ts';
import { cookiesOf, type RequestContext } from './request-context.ts';
import { isTokenShaped } from './secrets.ts';
import type { Session, Sessions, SignedIn } from './sessions.ts';

/** Why somebody whom the proxy let through is not let in here; pages say it in words. */
export type ProxyRefusal =
  /** The headers contradict each other, or name no email. */
  'not-believed' | 'too-many' | NoAccount;

/** Who a request is from. */
export interface Arrived {
  session: Session | null;
  /** Null: nobody was refused. */
  refusal: ProxyRefusal | null;
}

interface Deps {
  store: Store;
  limits: Limits;
  sessions: Sessions;
  accounts: ProviderAccounts;
  memberships: GroupMemberships;
  config: Pick<PeopleConfig, 'proxySignIn'>;
}

type Person = Extract<ProxyClaim, { kind: 'person' }>;

/** What people call the proxy. */
export const PROXY_NAME = 'the proxy';

/**
 * Signing in by the proxy in front of Belfry, which says in headers who a request is from (§5.7). It says so with each
 * request, so a session that it opened is worth nothing where it does not say the same: without it, or for another
 * person. Only pages ask for this; the API goes by tokens alone.
 */
export class ProxySignIns {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  hasProxy(): boolean {
    return this.#deps.config.proxySignIn !== null;
  }

  /** Where people sign out of the proxy: a URL, or a path on the public address. */
  proxySignOutUrl(): string | null {
    return this.#deps.config.proxySignIn?.signOutUrl ?? null;
  }

  /** Whom the proxy says that the request is from; null where it says nothing, or did not pass the request on. */
  whoByProxy(arrival: Arrival): ProxyClaim | null {
    const { proxySignIn } = this.#deps.config;
    return proxySignIn && readProxyClaim(arrival, proxySignIn);
  }

  /**
   * Finds out who a request is from.
   *
   * @param opens  for whom a session may be opened: nobody (a form that arrives without one changes nothing), those who
   * have an account, or anybody, for whom an account is made where people may register
   */
  async arrive(
    claim: ProxyClaim | null,
    request: RequestContext,
    opens: 'nobody' | 'known' | 'anybody',
  ): Promise<Arrived> {
    const { sessions, store } = this.#deps;
    const current = await sessions.readSession(request.headers);
    const isOfProxy = current?.origin.openedBy === PROXY_ISSUER;
    if (claim === null) return { session: isOfProxy ? null : current, refusal: null };
    if (claim.kind === 'not-believed') return this.#refuse('not-believed', request);
    const owner = await store.providerLinks.find(linkOf(claim));
    const isTheirs = current !== null && owner?.id === current.user.id;
    if (isTheirs && (isOfProxy || opens === 'nobody')) {
      const isChanged = await this.#renew(current, claim);
      const session = isChanged ? await sessions.readSession(request.headers) : current;
      return { session, refusal: null };
    }
    if (opens === 'nobody') return { session: null, refusal: null };
    return this.#open(claim, request, opens);
  }

  /** Makes an account for who comes by the proxy and by an invitation, and signs in. */
  async registerByProxy(
    invitation: string,
    claim: ProxyClaim | null,
    request: RequestContext,
  ): Promise<SignedIn | { kind: 'refused-by-proxy'; why: ProxyRefusal } | TooMany> {
    if (claim?.kind !== 'person' || !isTokenShaped(invitation)) {
      return { kind: 'refused-by-proxy', why: 'not-believed' };
    }
    const { accounts, limits } = this.#deps;
    const tooMany = await limits.count('proxy', claim.email);
    if (tooMany) return tooMany;
    const how = { by: PROXY_NAME, invitation };
    const found = await accounts.findOrMake(vouchedBy(claim), how, request);
    if (typeof found === 'string') return { kind: 'refused-by-proxy', why: found };
    if ('retryAfterSeconds' in found) return found;
    return this.#enter(found, claim, request);
  }

  async #renew(session: Session, { groups }: Person): Promise<boolean> {
    return groups !== null && this.#deps.memberships.apply(session.user.id, toldOf(groups));
  }

  async #enter(
    user: { id: string; email: string },
    { groups }: Person,
    request: RequestContext,
  ): Promise<SignedIn> {
    const { memberships, sessions } = this.#deps;
    if (groups !== null) await memberships.apply(user.id, toldOf(groups));
    return sessions.openFor(user, request, { by: PROXY_NAME, issuer: PROXY_ISSUER });
  }

  async #open(
    claim: Person,
    request: RequestContext,
    opens: 'known' | 'anybody',
  ): Promise<Arrived> {
    const { accounts, sessions, limits } = this.#deps;
    // By the person and not by the address, which is the same for all behind a proxy that no setting counts.
    if (await limits.count('proxy', claim.email)) return this.#refuse('too-many', request);
    const vouched = vouchedBy(claim);
    const found = await (opens === 'known'
      ? accounts.find(vouched, PROXY_NAME)
      : accounts.findOrMake(vouched, { by: PROXY_NAME, invitation: null }, request));
    if (typeof found === 'string') return this.#refuse(found, request);
    if ('retryAfterSeconds' in found) return this.#refuse('too-many', request);
    const { setCookies } = await this.#enter(found, claim, request);
    const session = await sessions.readSession(cookiesOf(setCookies));
    return { session: session && { ...session, setCookies }, refusal: null };
  }

  #refuse(refusal: ProxyRefusal, request: RequestContext): Arrived {
    this.#deps.sessions.tellRefused(`proxy: ${refusal}`, request);
    return { session: null, refusal };
  }
}

/** Proxies leave out a header without groups, or send it empty: nobody can tell that from one that was forgotten. */
const toldOf = (groups: readonly string[]) => (groups.length === 0 ? null : groups);

const linkOf = ({ email }: Person) => ({ issuer: PROXY_ISSUER, subject: email });

function vouchedBy(claim: Person): Vouched {
  const { email, name, groups } = claim;
  return { link: linkOf(claim), verifiedEmail: email, name, groups };
}
