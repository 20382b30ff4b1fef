import type { Store } from '#store/store';
import type { User } from '#store/people/users';
import type { PeopleConfig } from './config.ts';
import { refuse, type Refused, type TooMany } from './outcomes.ts';
import type { PasswordGuesses } from './password-guesses.ts';
import type { Passwords } from './passwords.ts';
import type { ProviderProofs } from './provider-proofs.ts';
import { PROXY_NAME } from './proxy-sign-ins.ts';
import type { Session, Sessions } from './sessions.ts';
import type { RequestContext } from './request-context.ts';

interface Deps {
  store: Store;
  guesses: PasswordGuesses;
  passwords: Passwords;
  sessions: Sessions;
  proofs: ProviderProofs;
  config: Pick<PeopleConfig, 'provider' | 'proxySignIn' | 'passwordSignIn'>;
}

export const PASSWORDS_OFF = 'Passwords are switched off here.';
export const WRONG_PASSWORD = 'This is not your password.';
const SIGNED_OUT = 'Sign in again and repeat this.';

/** Asks for the password again before sensitive actions, for which an open session is not enough. */
export class Reauthentication {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Gives the session's user if the password is theirs. */
  async confirmPassword(
    password: string,
    request: RequestContext,
  ): Promise<{ kind: 'confirmed'; user: User } | Refused | TooMany> {
    const { store, passwords } = this.#deps;
    const provider = await this.#withoutPassword(request);
    if (provider !== null) return provider;
    return this.inSession(request, 'password', async (session) => {
      const user = await store.users.find(session.user.id);
      const hash = user && (await store.users.readPasswordHash(user.id));
      const isRight = await passwords.verify(password, hash);
      return user && isRight ? { kind: 'confirmed', user } : refuse('password', WRONG_PASSWORD);
    });
  }

  /**
   * Whether pages ask for the password, or for a sign-in at the provider that is a few minutes old at most: the rule for
   * who has no password, and for all where passwords are switched off. Null: for the password. A proxy can't be asked
   * anew; it names the person with each request.
   */
  async describeConfirmation(
    { id, user, isByProxy }: Session,
    headers: Headers,
  ): Promise<{ provider: string; isProved: boolean; asksAnew: boolean } | null> {
    const { store, proofs, config } = this.#deps;
    if (config.provider === null && config.proxySignIn === null) return null;
    const asksPassword =
      config.passwordSignIn && (await store.users.readPasswordHash(user.id)) !== null;
    if (asksPassword) return null;
    if (config.provider === null) {
      return { provider: PROXY_NAME, isProved: isByProxy, asksAnew: false };
    }
    const isProved = proofs.isProved(headers, id);
    return { provider: config.provider.name, isProved, asksAnew: true };
  }

  /** What comes of it for who has no password; null for all others. */
  async #withoutPassword(
    request: RequestContext,
  ): Promise<{ kind: 'confirmed'; user: User } | Refused | null> {
    const { store, sessions } = this.#deps;
    const session = await sessions.whoIs(request);
    if (!session) return null;
    const how = await this.describeConfirmation(session, request.headers);
    if (how === null) return null;
    const user = await store.users.find(session.user.id);
    if (user && how.isProved) return { kind: 'confirmed', user };
    return refuse('password', `Confirm with ${how.provider} that it is you, then send this again.`);
  }

  /** Counts a guess that is made with an open session. */
  async inSession<T extends { kind: string }>(
    request: RequestContext,
    field: string,
    guess: (session: Session) => Promise<T>,
  ): Promise<T | Refused | TooMany> {
    const { guesses, sessions } = this.#deps;
    const session = await sessions.whoIs(request);
    if (!session) return refuse(field, SIGNED_OUT);
    return guesses.inSession(session.id, request, () => guess(session));
  }
}
