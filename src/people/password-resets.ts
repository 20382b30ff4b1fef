import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import type { Background } from './background.ts';
import { checkPassword, gatherErrors, normalizeEmail } from './fields.ts';
import type { Devices } from './devices.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { writeResetMail } from './mails.ts';
import { type Done, DONE, type Refused, type TooMany } from './outcomes.ts';
import { orBusy, type Passwords } from './passwords.ts';
import type { ResetLinks } from './reset-links.ts';
import type { RequestContext } from './request-context.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  config: { passwordSignIn: boolean };
  store: Store;
  log: Log;
  limits: Limits;
  mailer: Mailer;
  passwords: Passwords;
  resetLinks: ResetLinks;
  devices: Devices;
  background: Background;
  activity: PeopleActivity;
}

/** A forgotten password, by a mailed link (§5.7). */
export class PasswordResets {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** False where the operator's provider is the only way in. */
  takesPasswords(): boolean {
    return this.#deps.config.passwordSignIn;
  }

  /**
   * Mails a reset link. The answer and its timing are the same whether or not the account exists: the rest happens
   * afterwards.
   */
  async requestPasswordReset(
    { email }: { email: string },
    request: RequestContext,
  ): Promise<Done | TooMany> {
    const { limits, background, devices } = this.#deps;
    const { clientAddress, headers } = request;
    const device = devices.recognize(headers, email);
    const tooMany = await (device === null
      ? limits.count('mail', clientAddress)
      : limits.count('device-reset', device));
    if (tooMany) return tooMany;
    if (!this.takesPasswords()) return DONE;
    const asker = device === null ? clientAddress : null;
    background.run('accounts.reset-not-mailed', () => this.#mail(normalizeEmail(email), asker));
    return DONE;
  }

  async isResetTokenValid(token: string): Promise<boolean> {
    return this.takesPasswords() && this.#deps.resetLinks.isValid(token);
  }

  /**
   * Ends all access to the account: sessions, open one-time tokens and, if asked to, the API token. The person signs in
   * again, in a browser that the account then knows, so strangers who guess can't lock them out.
   */
  async resetPassword(
    { token, password, revokesToken }: { token: string; password: string; revokesToken: boolean },
    request: RequestContext,
  ): Promise<{ kind: 'done'; setCookies: string[] } | { kind: 'expired' } | Refused | TooMany> {
    const { store, activity, limits, passwords, resetLinks, devices } = this.#deps;
    const tooMany = await limits.count('account', request.clientAddress);
    if (tooMany) return tooMany;
    if (!(await this.isResetTokenValid(token))) return { kind: 'expired' };
    const refused = gatherErrors({ password: checkPassword(password) });
    if (refused) return refused;
    return orBusy(async () => {
      const passwordHash = await passwords.hash(password);
      const userId = await resetLinks.use(token, { passwordHash, revokesToken });
      const user = userId === null ? null : await store.users.find(userId);
      if (!user) return { kind: 'expired' };
      const deed = { action: 'account.password', what: 'password, by a link' } as const;
      await activity.accountChanged(user.id, deed);
      return { kind: 'done', setCookies: [devices.remember(request.headers, user.email)] };
    });
  }

  /** @param asker  the client's address; null for a browser that the account knows, which has a count of its own */
  async #mail(email: string, asker: string | null): Promise<void> {
    const { store, limits, mailer, resetLinks } = this.#deps;
    const user = await store.users.findByEmail(email);
    if (!user) return;
    if (asker !== null) {
      if (await limits.count('mail-to', asker, email)) return;
      if (await limits.count('reset-mailbox', email)) return;
    }
    await mailer.send(writeResetMail(user.email, await resetLinks.makeAnother(user.id)));
  }
}
