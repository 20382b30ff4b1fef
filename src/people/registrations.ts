import type { Clock } from '#domain/clock';
import type { Registered, StartingTeam } from '#store/registration';
import type { Store } from '#store/store';
import type { PeopleConfig } from './config.ts';
import { checkEmail, checkName, checkPassword, gatherErrors } from './fields.ts';
import { normalizeEmail, normalizeName } from './fields.ts';
import type { LibraryLoader } from './library-loader.ts';
import type { Limits } from './limits.ts';
import { NOT_FOUND, type NotFound, refuse, type Refused, type TooMany } from './outcomes.ts';
import type { Passwords } from './passwords.ts';
import type { Plans } from './plans.ts';
import { hashToken, isTokenShaped } from './secrets.ts';
import { openSession, type SignedIn } from './sessions.ts';
import type { Visitor } from './visitor.ts';

interface Deps {
  store: Store;
  clock: Clock;
  config: PeopleConfig;
  passwords: Passwords;
  plans: Plans;
  limits: Limits;
  library: LibraryLoader;
}

export interface NewPerson {
  name: string;
  email: string;
  password: string;
}

type Closed = { kind: 'closed' };

/** How people come to have an account: the first one, by invitation, or openly where the operator allows it (D38). */
export class Registrations {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** True once any account was made here: `/setup` is closed from then on. */
  async isSetUp(): Promise<boolean> {
    return this.#deps.store.registrations.hasBegun();
  }

  /** `SIGN_UP=open`: people may register without an invitation. */
  mayRegister(): boolean {
    return this.#deps.config.signUp === 'open';
  }

  /** Makes the first account, its team and the session: of any number who try at once, exactly one does. */
  async createFirstAccount(
    input: NewPerson & { team: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    if (await this.isSetUp()) return { kind: 'closed' };
    return this.#registerWithTeam(input, visitor, true);
  }

  /** Registers without an invitation, with a team of one's own. */
  async register(
    input: NewPerson & { team: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    if (!this.mayRegister() || !(await this.isSetUp())) return { kind: 'closed' };
    return this.#registerWithTeam(input, visitor, false);
  }

  /** For a newcomer: makes the account, joins and signs in. `email` is ignored where the invitation names one. */
  async registerByInvitation(
    token: string,
    input: NewPerson,
    visitor: Visitor,
  ): Promise<SignedIn | NotFound | Refused | TooMany> {
    if (!isTokenShaped(token)) return NOT_FOUND;
    const { store, clock } = this.#deps;
    const tokenHash = hashToken(token);
    const invitation = await store.invitations.findOpen(tokenHash, clock.now());
    if (!invitation) return NOT_FOUND;
    const person = { ...input, email: invitation.email ?? input.email };
    const refused = gatherErrors(checkPerson(person));
    if (refused) return refused;
    const result = await this.#make(person, { kind: 'invited', tokenHash }, false, visitor);
    if (result.kind === 'not-invited') return NOT_FOUND;
    return 'userId' in result ? this.#enter(person, visitor) : explain(result);
  }

  async #registerWithTeam(
    input: NewPerson & { team: string },
    visitor: Visitor,
    isFirst: boolean,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    const refused = gatherErrors({
      ...checkPerson(input),
      team: checkName(input.team, 'a team name'),
    });
    if (refused) return refused;
    const name = normalizeName(input.team);
    const team = { kind: 'new' as const, name, plan: this.#deps.plans.first };
    const result = await this.#make(input, team, isFirst, visitor);
    if (result.kind === 'closed') return { kind: 'closed' };
    return 'userId' in result ? this.#enter(input, visitor) : explain(result);
  }

  async #make(
    { name, email, password }: NewPerson,
    team: StartingTeam,
    isFirst: boolean,
    visitor: Visitor,
  ): Promise<Registered | TooMany> {
    const { store, clock, passwords, limits } = this.#deps;
    const tooMany = await limits.count('account', visitor.clientAddress);
    if (tooMany) return tooMany;
    const account = {
      name: normalizeName(name),
      email: normalizeEmail(email),
      passwordHash: await passwords.hash(password),
    };
    return store.registrations.register({ account, team, token: null, isFirst }, clock.now());
  }

  async #enter(person: NewPerson, visitor: Visitor): Promise<SignedIn> {
    const opened = await openSession(this.#deps.library, person, visitor);
    if (opened.kind !== 'signed-in') throw new Error(`a new account came to ${opened.kind}`);
    return opened;
  }
}

function checkPerson({ name, email, password }: NewPerson): Record<string, string[]> {
  return {
    name: checkName(name, 'your name'),
    email: checkEmail(email),
    password: checkPassword(password),
  };
}

function explain(result: Registered | TooMany): Refused | TooMany {
  if (result.kind === 'too-many') return result;
  if (result.kind === 'email-taken') {
    return refuse('email', 'There is an account with this email. Sign in instead.');
  }
  throw new Error(`registration came to ${result.kind}`);
}
