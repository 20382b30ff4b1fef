import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import type { TeamOfUser, User } from '#store/users';
import type { Background } from './background.ts';
import { checkEmail, checkName, checkPassword, gatherErrors } from './fields.ts';
import { normalizeEmail, normalizeName } from './fields.ts';
import type { LibraryLoader } from './library-loader.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { writeEmailChangedMail, writeEmailChangeMail } from './mails.ts';
import { type Done, DONE, refuse, type Refused, type TooMany } from './outcomes.ts';
import type { Passwords } from './passwords.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';
import type { Sessions, SignedIn } from './sessions.ts';
import type { Visitor } from './visitor.ts';

interface Deps {
  store: Store;
  clock: Clock;
  library: LibraryLoader;
  limits: Limits;
  mailer: Mailer;
  passwords: Passwords;
  sessions: Sessions;
  background: Background;
  baseUrl: string;
}

const EMAIL_PROOF = 'change-email';
const EMAIL_PROOF_MS = 60 * 60_000;
const WRONG_PASSWORD = 'This is not your password.';
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

  /** Asks for the password; without SMTP the change is made at once, else after the mailed link. */
  async changeEmail(
    input: { email: string; password: string },
    visitor: Visitor,
  ): Promise<Done | { kind: 'mailed' } | Refused | TooMany> {
    const refused = gatherErrors({ email: checkEmail(input.email) });
    if (refused) return refused;
    const proven = await this.#provePassword('password', input.password, visitor);
    if (proven.kind !== 'proven') return proven;
    const email = normalizeEmail(input.email);
    if (this.#deps.mailer.sends) {
      const { background } = this.#deps;
      background.run('accounts.email-change-not-mailed', () => this.#mailLink(proven.user, email));
      return { kind: 'mailed' };
    }
    const { store, clock } = this.#deps;
    const changed = await store.users.changeEmail(proven.user.id, email, clock.now());
    return changed ? DONE : refuse('email', EMAIL_TAKEN);
  }

  /** For the page behind the mailed link, `/confirm-email/:token`. */
  async confirmEmail(token: string): Promise<Done | { kind: 'expired' }> {
    if (!isTokenShaped(token)) return { kind: 'expired' };
    const { store, clock, background, mailer } = this.#deps;
    const now = clock.now();
    const value = await store.proofs.take(EMAIL_PROOF, hashToken(token), now);
    const [userId = '', email = ''] = value?.split(' ') ?? [];
    const user = value === null ? null : await store.users.find(userId);
    if (!user || !(await store.users.changeEmail(userId, email, now))) return { kind: 'expired' };
    background.run('accounts.email-change-not-told', async () => {
      await mailer.send(writeEmailChangedMail(user.email, email));
    });
    return DONE;
  }

  /** Ends the user's other sessions. */
  async changePassword(
    input: { currentPassword: string; password: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany> {
    const refused = gatherErrors({ password: checkPassword(input.password) });
    if (refused) return refused;
    const { library, limits } = this.#deps;
    const tooMany = await limits.count('guess', visitor.clientAddress);
    if (tooMany) return tooMany;
    const { currentPassword, password: newPassword } = input;
    const answer = await library.ask(visitor, ['session'], (api, headers) =>
      api.changePassword({
        body: { currentPassword, newPassword, revokeOtherSessions: true },
        headers,
        returnHeaders: true,
      }),
    );
    if (answer.kind === 'declined') return refuse('currentPassword', WRONG_PASSWORD);
    await limits.takeBack('guess', visitor.clientAddress);
    return { kind: 'signed-in', setCookies: answer.setCookies };
  }

  /** Refused while the user owns a team with other members; a team of one goes with its owner. */
  async deleteAccount(
    { password }: { password: string },
    visitor: Visitor,
  ): Promise<
    | { kind: 'deleted'; setCookies: string[] }
    | { kind: 'owns-teams'; teams: TeamOfUser[] }
    | Refused
    | TooMany
  > {
    const proven = await this.#provePassword('password', password, visitor);
    if (proven.kind !== 'proven') return proven;
    const { store, clock, sessions } = this.#deps;
    const teams = await store.users.delete(proven.user.id, clock.now());
    if (teams.length > 0) return { kind: 'owns-teams', teams };
    const { setCookies } = await sessions.signOut(visitor);
    return { kind: 'deleted', setCookies };
  }

  async #provePassword(
    field: string,
    password: string,
    visitor: Visitor,
  ): Promise<{ kind: 'proven'; user: User } | Refused | TooMany> {
    const { store, limits, passwords, sessions } = this.#deps;
    const tooMany = await limits.count('guess', visitor.clientAddress);
    if (tooMany) return tooMany;
    const session = await sessions.readSession(visitor.headers);
    const user = session && (await store.users.find(session.user.id));
    const hash = user && (await store.users.readPasswordHash(user.id));
    const isRight = await passwords.verify(password, hash);
    if (!user || !isRight) return refuse(field, WRONG_PASSWORD);
    await limits.takeBack('guess', visitor.clientAddress);
    return { kind: 'proven', user };
  }

  /** An address that has an account gets no link, and whoever asked is not told. */
  async #mailLink(user: User, email: string): Promise<void> {
    const { store, clock, limits, mailer, baseUrl } = this.#deps;
    const holder = await store.users.findByEmail(email);
    if (holder || (await limits.count('mailbox', email))) return;
    const token = makeSecret();
    const now = clock.now();
    const proof = { purpose: EMAIL_PROOF, hash: hashToken(token), value: `${user.id} ${email}` };
    await store.proofs.make(proof, now + EMAIL_PROOF_MS, now);
    await mailer.send(writeEmailChangeMail(email, `${baseUrl}/confirm-email/${token}`));
  }
}
