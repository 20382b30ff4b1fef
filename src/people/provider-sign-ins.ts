import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import type { User } from '#store/people/users';
import { checkEmail, checkName, normalizeEmail, normalizeName } from './fields.ts';
import type { Limits } from './limits.ts';
import { NOT_FOUND, type NotFound, type TooMany } from './outcomes.ts';
import type { PeopleActivity } from './people-activity.ts';
import {
  Provider,
  type ProviderAttempt,
  ProviderFault,
  type ProviderIdentity,
  type ProviderSettings,
} from './provider.ts';
import type { ProviderProofs } from './provider-proofs.ts';
import type { Registrations } from './registrations.ts';
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
  /** It names no email that it has verified, so nobody knows which account is meant. */
  | 'no-email'
  /** There is an account with this email, whose owner has not shown here that it is theirs. */
  | 'unconfirmed'
  /** The account with this email is somebody else's at the provider. */
  | 'other-person'
  /** There is no account, and none may be made. */
  | 'no-account';

interface Refusal {
  kind: 'refused-by-provider';
  why: ProviderRefusal;
  /** Takes away what is of no use any more. */
  setCookies: string[];
}

interface Deps {
  store: Store;
  clock: Clock;
  log: Log;
  limits: Limits;
  sessions: Sessions;
  registrations: Registrations;
  proofs: ProviderProofs;
  activity: PeopleActivity;
  config: { baseUrl: string; appKey: Uint8Array; provider: ProviderSettings | null };
}

/** Below the public address; the operator registers it at the provider. */
export const PROVIDER_RETURN_PATH = '/login/provider/back';

const ATTEMPT_MS = 10 * 60_000;
const LONGEST_NEXT = 1000;
/** OpenID Connect Core 1.0, part 2: `sub`. */
const LONGEST_SUBJECT = 255;

type Kept = ProviderAttempt & { next: string };
type Found = { id: string; email: string; isNew?: boolean };

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
    const { store } = this.#deps;
    if (identity.subject.length > LONGEST_SUBJECT) return 'not-believed';
    const link = this.#linkOf(identity);
    const linked = await store.providerLinks.find(link);
    if (linked) return linked;
    const email = normalizeEmail(identity.verifiedEmail ?? '');
    if (checkEmail(email).length > 0) return 'no-email';
    const known = await store.users.findByEmail(email);
    if (known) return this.#join(known, link);
    return this.#register({ name: identity.name, email }, { link, next }, request);
  }

  /** An account that somebody else made under a victim's email must not become the victim's with them still in it. */
  async #join(user: User, link: { issuer: string; subject: string }) {
    if (!user.isEmailVerified) return 'unconfirmed' as const;
    const { store, clock, activity } = this.#deps;
    const isJoined = await store.providerLinks.add(user.id, link, clock.now());
    if (!isJoined) return 'other-person' as const;
    const what = `sign-in by ${this.providerName() ?? ''}`;
    await activity.accountChanged(user.id, { action: 'account.provider', what });
    return user;
  }

  async #register(
    { name, email }: { name: string | null; email: string },
    { link, next }: { link: { issuer: string; subject: string }; next: string },
    request: RequestContext,
  ): Promise<Found | ProviderRefusal | TooMany> {
    const invitation = /^\/invitations\/([\w-]{32,128})(?:[?#]|$)/.exec(next)?.[1] ?? null;
    const ofEmail = email.split('@')[0] ?? email;
    const called = normalizeName(name ?? ofEmail);
    const person = { name: checkName(called, 'a name').length > 0 ? ofEmail : called, email, link };
    const made = await this.#deps.registrations.registerByProvider(person, invitation, request);
    if (made === null) return 'no-account';
    return 'kind' in made ? made : { ...made, isNew: true };
  }

  async #enter(
    user: Pick<User, 'id' | 'email'>,
    { next, isAgain }: { next: string; isAgain: boolean },
    request: RequestContext,
  ): Promise<SignedIn & { next: string }> {
    const { sessions, proofs } = this.#deps;
    const { sessionId, ...entered } = await sessions.openFor(user, request, this.providerName());
    const proof = isAgain ? proofs.prove(sessionId) : proofs.forget();
    return {
      ...entered,
      setCookies: [...entered.setCookies, this.#attempts.forget(), proof],
      next,
    };
  }

  #linkOf({ subject }: ProviderIdentity) {
    return { issuer: this.#provider?.settings.issuer ?? '', subject };
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
