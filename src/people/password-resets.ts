import type { Store } from '#store/store';
import type { Background } from './background.ts';
import { checkPassword, gatherErrors, normalizeEmail } from './fields.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { writeResetMail } from './mails.ts';
import { type Done, DONE, type Refused, type TooMany } from './outcomes.ts';
import type { Passwords } from './passwords.ts';
import type { ResetLinks } from './reset-links.ts';
import type { Visitor } from './visitor.ts';

interface Deps {
  store: Store;
  limits: Limits;
  mailer: Mailer;
  passwords: Passwords;
  resetLinks: ResetLinks;
  background: Background;
}

/** A forgotten password, by a mailed link (D38). */
export class PasswordResets {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Answers the same, and as fast, whether or not the account exists: what depends on that happens afterwards. */
  async requestPasswordReset(
    { email }: { email: string },
    visitor: Visitor,
  ): Promise<Done | TooMany> {
    const { limits, background } = this.#deps;
    const tooMany = await limits.count('mail', visitor.clientAddress);
    if (tooMany) return tooMany;
    background.run('accounts.reset-not-mailed', () => this.#mail(normalizeEmail(email)));
    return DONE;
  }

  async isResetTokenValid(token: string): Promise<boolean> {
    return this.#deps.resetLinks.isValid(token);
  }

  /** Ends all sessions of the account; the person signs in anew. */
  async resetPassword(
    { token, password }: { token: string; password: string },
    visitor: Visitor,
  ): Promise<Done | { kind: 'expired' } | Refused | TooMany> {
    const { limits, passwords, resetLinks } = this.#deps;
    const tooMany = await limits.count('account', visitor.clientAddress);
    if (tooMany) return tooMany;
    if (!(await resetLinks.isValid(token))) return { kind: 'expired' };
    const refused = gatherErrors({ password: checkPassword(password) });
    if (refused) return refused;
    const used = await resetLinks.use(token, await passwords.hash(password));
    return used ? DONE : { kind: 'expired' };
  }

  async #mail(email: string): Promise<void> {
    const { store, limits, mailer, resetLinks } = this.#deps;
    const user = await store.users.findByEmail(email);
    if (!user || (await limits.count('mailbox', email))) return;
    await mailer.send(writeResetMail(user.email, await resetLinks.make(user.id)));
  }
}
