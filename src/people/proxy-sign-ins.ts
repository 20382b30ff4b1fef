import type { Arrival } from '#domain/arrival';
import { PROXY_ISSUER } from '#store/people/provider-links';
import type { Store } from '#store/store';
import type { PeopleConfig } from './config.ts';
import type { GroupMemberships } from './group-memberships.ts';
import { DONE, type Done, type TooMany } from './outcomes.ts';
import type { NoAccount, ProviderAccounts, Vouched } from './provider-accounts.ts';
import { type ProxyClaim, readProxyClaim } from './proxy-claim.ts';
import type { RequestContext } from './request-context.ts';
import { isTokenShaped } from './secrets.ts';
import type { Session, Sessions } from './sessions.ts';

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
  sessions: Sessions;
  accounts: ProviderAccounts;
  memberships: GroupMemberships;
  config: Pick<PeopleConfig, 'proxySignIn'>;
}

type Person = Extract<ProxyClaim, { kind: 'person' }>;

/** What people call the proxy. */
export const PROXY_NAME = 'the proxy';

/**
 * Signing in by the proxy in front of Belfry, which says in headers who a request is from (§5.7). Each request is
 * checked, and no session is behind it. Only pages ask for this; the API goes by tokens alone.
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
   * @param lets  whom the proxy's word lets in: those who came by it before (a form joins and makes no account), also
   * those who have an account with that email, or anybody, for whom an account is made if people may register
   */
  async arrive(request: RequestContext, lets: 'joined' | 'known' | 'anybody'): Promise<Arrived> {
    const { sessions, memberships } = this.#deps;
    const { claim } = request;
    if (!claim) return { session: await sessions.whoIs(request), refusal: null };
    if (claim.kind === 'not-believed') return this.#refuse('not-believed', request);
    const found = await this.#find(claim, request, lets);
    if (found === null) return { session: null, refusal: null };
    if (typeof found === 'string') return this.#refuse(found, request);
    if (claim.groups !== null) await memberships.apply(found.id, toldOf(claim.groups));
    return { session: await sessions.ofProxied(found.id), refusal: null };
  }

  /** Makes an account for a person who comes by the proxy and by an invitation. */
  async registerByProxy(
    invitation: string,
    request: RequestContext,
  ): Promise<Done | { kind: 'refused-by-proxy'; why: ProxyRefusal } | TooMany> {
    const { claim } = request;
    if (claim?.kind !== 'person' || !isTokenShaped(invitation)) {
      return { kind: 'refused-by-proxy', why: 'not-believed' };
    }
    const how = { by: PROXY_NAME, invitation };
    const found = await this.#deps.accounts.findOrMake(vouchedBy(claim), how, request);
    if (typeof found === 'string') return { kind: 'refused-by-proxy', why: found };
    return 'retryAfterSeconds' in found ? found : DONE;
  }

  async #find(
    claim: Person,
    request: RequestContext,
    lets: 'joined' | 'known' | 'anybody',
  ): Promise<{ id: string } | ProxyRefusal | null> {
    const { accounts, store } = this.#deps;
    const vouched = vouchedBy(claim);
    if (lets === 'joined') return store.providerLinks.find(vouched.link);
    if (lets === 'known') return accounts.find(vouched, PROXY_NAME);
    const how = { by: PROXY_NAME, invitation: null };
    const found = await accounts.findOrMake(vouched, how, request);
    return typeof found === 'object' && 'retryAfterSeconds' in found ? 'too-many' : found;
  }

  #refuse(refusal: ProxyRefusal, request: RequestContext): Arrived {
    this.#deps.sessions.tellRefused(`proxy: ${refusal}`, request);
    return { session: null, refusal };
  }
}

/** Proxies leave out a header without groups, or send it empty: nobody can tell that from one that was forgotten. */
const toldOf = (groups: readonly string[]) => (groups.length === 0 ? null : groups);

function vouchedBy({ email, name, groups }: Person): Vouched {
  const link = { issuer: PROXY_ISSUER, subject: email };
  return { link, verifiedEmail: email, name, groups };
}
