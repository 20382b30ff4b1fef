import type { ActivityAction } from '#domain/activity';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import type { TeamOfUser } from '#store/people/users';
import type { ApiTokens } from './api-tokens.ts';
import type { Background } from './background.ts';
import type { PeopleConfig } from './config.ts';
import type { EmailLinks } from './email-links.ts';
import { checkEmail, checkName, checkPassword, gatherErrors } from './fields.ts';
import { normalizeEmail, normalizeName } from './fields.ts';
import type { AuthLibraryLoader } from './auth-library-loader.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { writeEmailChangedMail } from './mails.ts';
import { type Done, DONE, refuse, type Refused, type TooMany } from './outcomes.ts';
import { PASSWORDS_OFF, type Reauthentication, WRONG_PASSWORD } from './reauthentication.ts';
import type { Sessions, SignedIn } from './sessions.ts';
import type { RequestContext } from './request-context.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Store;
  clock: Clock;
  log: Log;
  authLibrary: AuthLibraryLoader;
  limits: Limits;
  mailer: Mailer;
  reauthentication: Reauthentication;
  tokens: ApiTokens;
  sessions: Sessions;
  background: Background;
  emailLinks: EmailLinks;
  activity: PeopleActivity;
  config: Pick<PeopleConfig, 'passwordSignIn' | 'provider'>;
}

const ONLY_WAY_IN = 'This is your only way in. Set a password first.';
const EMAIL_TAKEN = 'There is an account with this email.';

/** What people do to their own account. */
export class OwnAccount {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async changeName(userId: string, name: string): Promise<Done | Refused> {
    const refused = gatherErrors({ name: checkName(name, 'your name') });
    if (refused) return refused;
    const { store, clock } = this.#deps;
    await store.users.changeName(userId, normalizeName(name), clock.now());
    return DONE;
  }

  /**
   * Changes the email. Checks the password first. With SMTP the change is made by the mailed link, without it at once.
   */
  async changeEmail(
    input: { email: string; password: string },
    request: RequestContext,
  ): Promise<Done | { kind: 'mailed' } | Refused | TooMany> {
    const refused = gatherErrors({ email: checkEmail(input.email) });
    if (refused) return refused;
    const confirmed = await this.#deps.reauthentication.confirmPassword(input.password, request);
    if (confirmed.kind !== 'confirmed') return confirmed;
    const email = normalizeEmail(input.email);
    if (this.#deps.mailer.sends) {
      const { background, emailLinks } = this.#deps;
      background.run('accounts.email-change-not-mailed', () =>
        emailLinks.mailChange(confirmed.user, email),
      );
      return { kind: 'mailed' };
    }
    const { store, clock } = this.#deps;
    const changed = await store.users.changeEmail(
      confirmed.user.id,
      { email, isVerified: false },
      clock.now(),
    );
    if (!changed) return refuse('email', EMAIL_TAKEN);
    await this.#changed(confirmed.user.id, 'account.email', 'email');
    return DONE;
  }

  /** Confirms an address, for the page behind the mailed link (`/confirm-email/:token`). */
  async confirmEmail(token: string): Promise<Done | { kind: 'expired' }> {
    const { background, mailer, emailLinks } = this.#deps;
    const confirmed = await emailLinks.confirm(token);
    if (!confirmed) return { kind: 'expired' };
    const { user, email } = confirmed;
    await this.#changed(user.id, 'account.email', 'email');
    if (user.email === email) return DONE;
    background.run('accounts.email-change-not-told', async () => {
      await mailer.send(writeEmailChangedMail(user.email, email));
    });
    return DONE;
  }

  /** Mails a new link that confirms the present address. */
  async requestEmailConfirmation(userId: string): Promise<Done | TooMany> {
    const { store, limits, background, emailLinks } = this.#deps;
    const tooMany = await limits.count('mail', userId);
    if (tooMany) return tooMany;
    const user = await store.users.find(userId);
    if (!user || user.isEmailVerified) return DONE;
    background.run('accounts.email-not-confirmed', () => emailLinks.mailConfirmation(user));
    return DONE;
  }

  /**
   * Stops a change of email, for the page behind the link to the old address (`/stop-email-change/:token`). It needs no
   * session.
   */
  async stopEmailChange(token: string): Promise<Done | { kind: 'expired' }> {
    return (await this.#deps.emailLinks.stop(token)) ? DONE : { kind: 'expired' };
  }

  /**
   * Makes a new API token. Checks the password first. The old token stops working; only this answer contains the new
   * one.
   */
  async generateApiToken(
    { password }: { password: string },
    request: RequestContext,
  ): Promise<{ kind: 'generated'; token: string } | Refused | TooMany> {
    const { reauthentication, tokens } = this.#deps;
    const confirmed = await reauthentication.confirmPassword(password, request);
    if (confirmed.kind !== 'confirmed') return confirmed;
    const token = await tokens.generateApiToken(confirmed.user.id);
    await this.#changed(confirmed.user.id, 'account.token', 'API token');
    return { kind: 'generated', token };
  }

  /** Ends the user's other sessions and drops every open one-time token of theirs. */
  async changePassword(
    input: { currentPassword: string; password: string },
    request: RequestContext,
  ): Promise<SignedIn | Refused | TooMany> {
    const refused = gatherErrors({ password: checkPassword(input.password) });
    if (refused) return refused;
    const { store, authLibrary, reauthentication, sessions, config } = this.#deps;
    if (!config.passwordSignIn) return refuse('currentPassword', PASSWORDS_OFF);
    const { currentPassword, password: newPassword } = input;
    return reauthentication.inSession(request, 'currentPassword', async (session) => {
      const { user } = session;
      const answer = await authLibrary.ask(request, ['session'], (api, headers) =>
        api.changePassword({
          body: { currentPassword, newPassword, revokeOtherSessions: true },
          headers,
          returnHeaders: true,
        }),
      );
      if (answer.kind === 'declined') return refuse('currentPassword', WRONG_PASSWORD);
      await sessions.handOn(session, answer.setCookies);
      await store.users.dropOneTimeTokens(user.id);
      await this.#changed(user.id, 'account.password', 'password');
      return { kind: 'signed-in', setCookies: answer.setCookies };
    });
  }

  /** What people call the provider by which the user may sign in; null where it knows nobody by this account. */
  async joinedProvider(userId: string): Promise<string | null> {
    const { store, config } = this.#deps;
    if (config.provider === null) return null;
    const isJoined = await store.providerLinks.isJoined(userId, config.provider.issuer);
    return isJoined ? config.provider.name : null;
  }

  /** Parts the account from the provider. Asks for the password: without one there would be no way in. */
  async leaveProvider(
    { password }: { password: string },
    request: RequestContext,
  ): Promise<Done | Refused | TooMany> {
    const { store, config, reauthentication } = this.#deps;
    const confirmed = await reauthentication.confirmPassword(password, request);
    if (confirmed.kind !== 'confirmed') return confirmed;
    const { id } = confirmed.user;
    const hasPassword = (await store.users.readPasswordHash(id)) !== null;
    if (!config.passwordSignIn || !hasPassword) return refuse('password', ONLY_WAY_IN);
    await store.providerLinks.removeAll(id);
    await this.#changed(id, 'account.provider-ended', 'sign-in by a provider');
    return DONE;
  }

  /**
   * Deletes the account. Refused while the user owns a team with other members; a team without others is deleted too.
   */
  async deleteAccount(
    { password }: { password: string },
    request: RequestContext,
  ): Promise<
    | { kind: 'deleted'; setCookies: string[] }
    | { kind: 'owns-teams'; teams: TeamOfUser[] }
    | Refused
    | TooMany
  > {
    const confirmed = await this.#deps.reauthentication.confirmPassword(password, request);
    if (confirmed.kind !== 'confirmed') return confirmed;
    const { store, clock, sessions } = this.#deps;
    const teams = await store.users.delete(confirmed.user.id, clock.now());
    if (teams.length > 0) return { kind: 'owns-teams', teams };
    const { setCookies } = await sessions.signOut(request);
    return { kind: 'deleted', setCookies };
  }

  #changed(userId: string, action: ActivityAction, what: string): Promise<void> {
    return this.#deps.activity.accountChanged(userId, { action, what });
  }
}
