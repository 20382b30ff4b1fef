import type { Clock } from '#domain/clock';
import type { NewPassword } from '#store/people/one-time-tokens';
import type { Store } from '#store/store';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/** Long enough for a slow mail, and short because somebody else may read the mailbox later. */
const VALID_MS = 60 * 60_000;
const PURPOSE = 'reset-password';

interface Deps {
  store: Pick<Store, 'oneTimeTokens'>;
  clock: Clock;
  baseUrl: string;
}

/** Links that let their bearer set a new password, once (§5.7). */
export class ResetLinks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Makes a link; earlier ones of the user stop working. */
  async makeOnly(userId: string): Promise<string> {
    const { oneTimeToken, times, link } = this.#draft(userId);
    await this.#deps.store.oneTimeTokens.replace([oneTimeToken], times);
    return link;
  }

  /**
   * Makes a link; earlier ones stay valid, so that a stranger who asks for one in a user's name does not spoil the link
   * that the user waits for. The first one that is used ends them all.
   */
  async makeAnother(userId: string): Promise<string> {
    const { oneTimeToken, times, link } = this.#draft(userId);
    await this.#deps.store.oneTimeTokens.add(oneTimeToken, times);
    return link;
  }

  async isValid(token: string): Promise<boolean> {
    if (!isTokenShaped(token)) return false;
    const { store, clock } = this.#deps;
    return store.oneTimeTokens.isValid(PURPOSE, hashToken(token), clock.now());
  }

  /**
   * Sets the password and ends all access to the account. Gives the user's id; null: the link was used, replaced or has
   * expired.
   */
  async use(token: string, password: NewPassword): Promise<string | null> {
    if (!isTokenShaped(token)) return null;
    const { store, clock } = this.#deps;
    return store.oneTimeTokens.resetPassword(PURPOSE, hashToken(token), password, clock.now());
  }

  #draft(userId: string) {
    const { clock, baseUrl } = this.#deps;
    const token = makeSecret();
    const now = clock.now();
    return {
      oneTimeToken: { purpose: PURPOSE, hash: hashToken(token), whom: userId },
      times: { expiresAt: now + VALID_MS, now },
      link: `${baseUrl}/reset-password/${token}`,
    };
  }
}
