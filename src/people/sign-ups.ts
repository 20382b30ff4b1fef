import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import type { Background } from './background.ts';
import type { PeopleConfig } from './config.ts';
import { checkEmail, gatherErrors, normalizeEmail } from './fields.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { writeHasAccountMail, writeSignUpMail } from './mails.ts';
import { type Done, DONE, type Refused, type TooMany } from './outcomes.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';
import type { RequestContext } from './request-context.ts';

export const SIGN_UP = 'sign-up';
const VALID_MS = 60 * 60_000;

interface Deps {
  store: Store;
  clock: Clock;
  config: PeopleConfig;
  limits: Limits;
  mailer: Mailer;
  background: Background;
}

/**
 * Open sign-up where mails can be sent. The address gets a link, and the account is made only by that link. So nobody
 * can make an account in another person's name, or make us mail them anything else.
 */
export class SignUps {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** True where the address is confirmed before the account is made. */
  confirmsFirst(): boolean {
    return this.#deps.mailer.sends;
  }

  /** Mails the link. The answer and its timing are the same whether or not the address has an account. */
  async requestSignUp(
    input: { email: string },
    request: RequestContext,
  ): Promise<Done | Refused | TooMany | { kind: 'closed' }> {
    const { config, limits, background } = this.#deps;
    if (config.signUp !== 'open' || !config.passwordSignIn) return { kind: 'closed' };
    const refused = gatherErrors({ email: checkEmail(input.email) });
    if (refused) return refused;
    const tooMany = await limits.count('mail', request.clientAddress);
    if (tooMany) return tooMany;
    const email = normalizeEmail(input.email);
    background.run('accounts.sign-up-not-mailed', () => this.#mail(email, request.clientAddress));
    return DONE;
  }

  /** The address that the link proves; null where the link was used or has expired. */
  async readSignUp(token: string): Promise<string | null> {
    if (!isTokenShaped(token)) return null;
    const { store, clock } = this.#deps;
    return store.oneTimeTokens.read(SIGN_UP, hashToken(token), clock.now());
  }

  async #mail(email: string, clientAddress: string): Promise<void> {
    const { store, clock, limits, mailer, config } = this.#deps;
    if (await limits.count('mail-to', clientAddress, email)) return;
    if (await limits.count('mailbox', email)) return;
    const holder = await store.users.findByEmail(email);
    if (holder) {
      await mailer.send(writeHasAccountMail(email, `${config.baseUrl}/login`));
      return;
    }
    const token = makeSecret();
    const now = clock.now();
    const oneTimeToken = { purpose: SIGN_UP, hash: hashToken(token), whom: email };
    await store.oneTimeTokens.add(oneTimeToken, { expiresAt: now + VALID_MS, now });
    await mailer.send(writeSignUpMail(email, `${config.baseUrl}/register/${token}`));
  }
}
