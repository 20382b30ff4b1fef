import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/** Long enough for a slow mail, short enough for a mailbox that somebody else can read. */
const VALID_MS = 60 * 60_000;
const PURPOSE = 'reset-password';

interface Deps {
  store: Pick<Store, 'proofs'>;
  clock: Clock;
  baseUrl: string;
}

/** Links that let their bearer set a new password, once (D38). */
export class ResetLinks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A new link; those made before for the user stop working. */
  async make(userId: string): Promise<string> {
    const { store, clock, baseUrl } = this.#deps;
    const token = makeSecret();
    const now = clock.now();
    const proof = { purpose: PURPOSE, hash: hashToken(token), value: userId };
    await store.proofs.make(proof, now + VALID_MS, now);
    return `${baseUrl}/reset-password/${token}`;
  }

  async isValid(token: string): Promise<boolean> {
    if (!isTokenShaped(token)) return false;
    const { store, clock } = this.#deps;
    return store.proofs.isValid(PURPOSE, hashToken(token), clock.now());
  }

  /** Sets the password and ends all sessions of the account. False: the link was used, replaced or too old. */
  async use(token: string, passwordHash: string): Promise<boolean> {
    if (!isTokenShaped(token)) return false;
    const { store, clock } = this.#deps;
    return store.proofs.resetPassword(PURPOSE, hashToken(token), passwordHash, clock.now());
  }
}
