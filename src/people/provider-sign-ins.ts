import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { User } from '#store/people/users';
import type { GroupMemberships } from './group-memberships.ts';
import type { Limits } from './limits.ts';
import { NOT_FOUND, type NotFound, type TooMany } from './outcomes.ts';
import {
  Provider,
  type ProviderAttempt,
  ProviderFault,
  type ProviderIdentity,
  type ProviderSettings,
} from './provider.ts';
import type { Found, NoAccount, ProviderAccounts } from './provider-accounts.ts';
import type { ProviderProofs } from './provider-proofs.ts';
import type { RequestContext } from './request-context.ts';
import type { Sessions, SignedIn } from './sessions.ts';
import { SignedCookie } from './signed-cookie.ts';

/** Why somebody whom the provider let in is not let in here; pages say it in words. */
export type ProviderRefusal =
  /** The provider can't be asked just now. */
  | 'away'
  /** Its answer, or what the browser brought back, is not to be believed. */
  | 'not-believed'
  /** The person or the provider said no. */
  | 'declined'
  /** The attempt is over, was another browser's, or none of ours. */
  | 'expired'
  | NoAccount;

interface Refusal {
  kind: 'refused-by-provider';
  why: ProviderRefusal;
  /** Takes away what is of no use any more. */
  setCookies: string[];
}

interface Deps {
  clock: Clock;
  log: Log;
  limits: Limits;
  sessions: Sessions;
  accounts: ProviderAccounts;
  memberships: GroupMemberships;
  proofs: ProviderProofs;
  config: { baseUrl: string; appKey: Uint8Array; provider: ProviderSettings | null };
}

/** Below the public address; the operator registers it at the provider. */
export const PROVIDER_RETURN_PATH = '/login/provider/back';

const ATTEMPT_MS = 10 * 60_000;
const LONGEST_NEXT = 1000;
/** OpenID Connect Core 1.0, part 2: `sub`. */
const LONGEST_SUBJECT = 255;

type Kept = ProviderAttempt & { next: string };

/**
 * Signing in by the operator's provider, by OpenID Connect (§5.7). Who comes that way is known by issuer and subject. An
 * account that is there already is joined to them only by an email that the provider has verified and that its owner has
 * confirmed here. No second factor of ours is asked for: how sure it wants to be is the provider's to decide.
 */
export class ProviderSignIns {
  readonly #deps: Deps;
  readonly #provider: Provider | null;
  readonly #attempts: SignedCookie;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { config, clock } = deps;
    const back = `${config.baseUrl}${PROVIDER_RETURN_PATH}`;
    this.#provider = config.provider && new Provider(config.provider, back, () => clock.now());
    const of = { ...config, clock };
    this.#attempts = new SignedCookie(of, { name: 'belfry_provider', validMs: ATTEMPT_MS });
  }

  /** What people call the provider; null where there is none. */
  providerName(): string | null {
    return this.#provider?.settings.name ?? null;
  }

  /** @param input  `next`: where to go then, a path of ours; `isAgain`: to be asked anew, in place of a password */
  async beginProviderSignIn(
    { next, isAgain }: { next: string; isAgain: boolean },
    request: RequestContext,
  ): Promise<{ kind: 'begun'; url: string; setCookies: string[] } | Refusal | NotFound | TooMany> {
    if (this.#provider === null) return NOT_FOUND;
    const tooMany = await this.#deps.limits.count('provider', request.clientAddress);
    if (tooMany) return tooMany;
    try {
      const { url, attempt } = await this.#provider.begin(isAgain);
      const kept: Kept = { ...attempt, next: next.length > LONGEST_NEXT ? '/' : next };
      return { kind: 'begun', url, setCookies: [this.#attempts.write(JSON.stringify(kept))] };
    } catch (error) {
      return this.#explain(error, request);
    }
  }

  /** @param search  the query with which the provider sent the browser back */
  async finishProviderSignIn(
    search: string,
    request: RequestContext,
  ): Promise<(SignedIn & { next: string }) | Refusal | NotFound | TooMany> {
    if (this.#provider === null) return NOT_FOUND;
    const tooMany = await this.#deps.limits.count('provider', request.clientAddress);
    if (tooMany) return tooMany;
    const text = this.#attempts.read(request.headers);
    if (text === null) return this.#refuse('expired', request);
    const { next, ...attempt } = JSON.parse(text) as Kept;
    try {
      const identity = await this.#provider.finish(search, attempt);
      const found = await this.#findUser(identity, next, request);
      if (typeof found === 'string') return this.#refuse(found, request);
      if ('retryAfterSeconds' in found) return found;
      const { isNew = false, ...user } = found;
      await this.#deps.memberships.apply(user.id, identity.groups);
      // A newcomer's invitation is used up by now.
      const going = { next: isNew ? '/' : next, isAgain: attempt.isAgain };
      return await this.#enter(user, going, request);
    } catch (error) {
      return this.#explain(error, request);
    }
  }

  async #findUser(
    identity: ProviderIdentity,
    next: string,
    request: RequestContext,
  ): Promise<Found | ProviderRefusal | TooMany> {
    if (identity.subject.length > LONGEST_SUBJECT) return 'not-believed';
    const issuer = this.#provider?.settings.issuer ?? '';
    const vouched = { ...identity, link: { issuer, subject: identity.subject } };
    const invitation = /^\/invitations\/([\w-]{32,128})(?:[?#]|$)/.exec(next)?.[1] ?? null;
    const by = this.providerName() ?? '';
    return this.#deps.accounts.findOrMake(vouched, { by, invitation }, request);
  }

  async #enter(
    user: Pick<User, 'id' | 'email'>,
    { next, isAgain }: { next: string; isAgain: boolean },
    request: RequestContext,
  ): Promise<SignedIn & { next: string }> {
    const { sessions, proofs } = this.#deps;
    const { sessionId, ...entered } = await sessions.openFor(user, request, {
      by: this.providerName() ?? '',
      issuer: this.#provider?.settings.issuer ?? '',
    });
    const proof = isAgain ? proofs.prove(sessionId) : proofs.forget();
    return {
      ...entered,
      setCookies: [...entered.setCookies, this.#attempts.forget(), proof],
      next,
    };
  }

  #explain(error: unknown, request: RequestContext): Refusal {
    if (!(error instanceof ProviderFault)) throw error;
    const { code, message } = error;
    this.#deps.log.warn('account.provider-failed', { code, message, cause: causeOf(error) });
    if (code === 'PROVIDER_AWAY') return this.#refuse('away', request);
    const { cause } = error as { cause?: { error?: unknown; code?: unknown } };
    const isDeclined = cause?.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';
    return this.#refuse(isDeclined ? 'declined' : 'not-believed', request);
  }

  #refuse(why: ProviderRefusal, request: RequestContext): Refusal {
    this.#deps.sessions.tellRefused(`provider: ${why}`, request);
    return { kind: 'refused-by-provider', why, setCookies: [this.#attempts.forget()] };
  }
}

/** What lies behind, as far as it is words: `connect ECONNREFUSED 127.0.0.1:9`. */
function causeOf(error: Error): string | undefined {
  let deepest: unknown = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause; depth++)
    deepest = deepest.cause;
  return deepest instanceof Error ? deepest.message.slice(0, 300) : undefined;
}
