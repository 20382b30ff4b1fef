import { LIMITS } from '#domain/limits';
import { type Arrival, isLocal } from '#domain/arrival';
import type { Clock } from '#domain/clock';
import type { ProviderLink } from '#store/people/provider-links';
import type { Registered, Registration, StartingTeam } from '#store/people/registration';
import type { Store } from '#store/store';
import type { Background } from './background.ts';
import type { PeopleConfig } from './config.ts';
import { checkChosenTeamName } from './groups.ts';
import type { GroupMemberships } from './group-memberships.ts';
import type { EmailLinks } from './email-links.ts';
import { checkEmail, checkName, checkPassword, gatherErrors } from './fields.ts';
import { normalizeEmail, normalizeName } from './fields.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { NOT_FOUND, type NotFound, refuse, type Refused, type TooMany } from './outcomes.ts';
import { orBusy, type Passwords } from './passwords.ts';
import type { Plans } from './plans.ts';
import { PASSWORDS_OFF } from './reauthentication.ts';
import { hashToken, isTokenShaped } from './secrets.ts';
import { isSetupCode, makeSetupCode } from './setup-code.ts';
import type { SignedIn, Sessions } from './sessions.ts';
import { SIGN_UP } from './sign-ups.ts';
import type { RequestContext } from './request-context.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Store;
  clock: Clock;
  config: PeopleConfig;
  passwords: Passwords;
  plans: Plans;
  limits: Limits;
  sessions: Sessions;
  mailer: Mailer;
  background: Background;
  emailLinks: EmailLinks;
  activity: PeopleActivity;
  memberships: GroupMemberships;
}

interface NewPerson {
  name: string;
  email: string;
  password: string;
}

/** How the account comes about: whether the address is proven, and what the registration uses up. */
type How = Pick<Registration, 'isFirst' | 'oneTimeToken'> & { isEmailVerified: boolean };
type Closed = { kind: 'closed' };
export type FirstAccount = { code: string; isCodeAlwaysAsked: boolean };

const WRONG_CODE =
  'This is not the code. Find it in the service’s log, or run `belfry setup-code`.';

/** The ways to get an account: the first one, by invitation, or openly where the operator allows it (§5.7). */
export class Registrations {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** True once any account was made here: `/setup` is closed from then on. */
  async isSetUp(): Promise<boolean> {
    return this.#deps.store.registrations.hasBegun();
  }

  /** Whether a request for the first account must have the setup code: everyone's but a program's on this machine. */
  asksSetupCode(arrival: Arrival): boolean {
    return this.#deps.config.isBehindProxy || !isLocal(arrival);
  }

  /** The setup code, to be logged at the start, and whether every request needs it; null once there is an account. */
  async findFirstAccount(): Promise<FirstAccount | null> {
    if (await this.isSetUp()) return null;
    const { appKey, isBehindProxy } = this.#deps.config;
    return { code: makeSetupCode(appKey), isCodeAlwaysAsked: isBehindProxy };
  }

  /** `SIGN_UP=open`: people may register without an invitation, with a password. */
  mayRegister(): boolean {
    const { signUp, passwordSignIn } = this.#deps.config;
    return signUp === 'open' && passwordSignIn;
  }

  /** Makes the first account, its team and the session. Of several simultaneous tries exactly one succeeds. */
  async createFirstAccount(
    input: NewPerson & { team: string; code?: string },
    request: RequestContext,
    arrival: Arrival,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    if (await this.isSetUp()) return { kind: 'closed' };
    const { limits, config } = this.#deps;
    if (this.asksSetupCode(arrival)) {
      const tooMany = await limits.count('guess', request.clientAddress);
      if (tooMany) return tooMany;
      if (!isSetupCode(input.code ?? '', makeSetupCode(config.appKey))) {
        return refuse('code', WRONG_CODE);
      }
      await limits.takeBack('guess', request.clientAddress);
    }
    return this.#registerWithTeam(input, request, { isFirst: true, isEmailVerified: true });
  }

  /** Registers without an invitation, with a team of one's own. */
  async register(
    input: NewPerson & { team: string },
    request: RequestContext,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    if (!this.mayRegister() || !(await this.isSetUp())) return { kind: 'closed' };
    // Where mails can be sent, the address is confirmed first.
    if (this.#deps.mailer.sends) return { kind: 'closed' };
    return this.#registerWithTeam(input, request, { isFirst: false, isEmailVerified: false });
  }

  /** Registers by the link that `requestSignUp` mailed. The link gives the address and is used up. */
  async finishSignUp(
    token: string,
    input: Omit<NewPerson, 'email'> & { team: string },
    request: RequestContext,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    if (!this.mayRegister() || !isTokenShaped(token)) return { kind: 'closed' };
    const { store, clock } = this.#deps;
    const oneTimeToken = { purpose: SIGN_UP, hash: hashToken(token) };
    const email = await store.oneTimeTokens.read(
      oneTimeToken.purpose,
      oneTimeToken.hash,
      clock.now(),
    );
    if (email === null) return { kind: 'closed' };
    const how = { isFirst: false, isEmailVerified: true, oneTimeToken };
    return this.#registerWithTeam({ ...input, email }, request, how);
  }

  /**
   * Makes an account by invitation, joins the team and signs in. `email` is ignored where the invitation names one.
   *
   * @param input  `mailed` is the mark in a mailed link, if the person came by one
   */
  async registerByInvitation(
    token: string,
    input: NewPerson & { mailed?: string },
    request: RequestContext,
  ): Promise<SignedIn | NotFound | Refused | TooMany> {
    if (!isTokenShaped(token)) return NOT_FOUND;
    if (!this.#deps.config.passwordSignIn) return refuse('password', PASSWORDS_OFF);
    const { store, clock } = this.#deps;
    const tokenHash = hashToken(token);
    const invitation = await store.invitations.findOpen(tokenHash, clock.now());
    if (!invitation) return NOT_FOUND;
    const person = { ...input, email: invitation.email ?? input.email };
    const refused = gatherErrors(checkPerson(person));
    if (refused) return refused;
    const { emailLinks, mailer, background, activity } = this.#deps;
    const isEmailVerified = emailLinks.isMarkOf(
      input.mailed ?? '',
      token,
      normalizeEmail(person.email),
    );
    const how = { isFirst: false, isEmailVerified };
    const result = await this.#make(person, { kind: 'invited', tokenHash }, how, request);
    if (result.kind === 'not-invited') return NOT_FOUND;
    if (!('userId' in result)) return explain(result);
    const { userId, teamId } = result;
    await activity.ofTeam(teamId, { userId }, { action: 'member.joined' });
    if (mailer.sends && !isEmailVerified) {
      const user = { id: userId, email: normalizeEmail(person.email) };
      background.run('accounts.email-not-confirmed', () => emailLinks.mailConfirmation(user));
    }
    return this.#enter(person, request);
  }

  /**
   * Makes an account for somebody whom the operator's provider has let in, and who has none: by an invitation, in a
   * team that GROUP_ROLES gives them, or with a team of their own where anybody may register. Null where none of these
   * lets them in.
   *
   * @param person  their email is in lower case, and verified by the provider
   */
  async registerByProvider(
    { link, ...who }: { name: string; email: string; link: ProviderLink },
    { invitation, groups }: { invitation: string | null; groups: readonly string[] },
    request: RequestContext,
  ): Promise<{ id: string; email: string } | null | TooMany> {
    if (!(await this.isSetUp())) return null;
    const isOpen = this.#deps.config.signUp === 'open';
    const { store, clock, plans, activity, memberships } = this.#deps;
    const mapped = await memberships.mappedTo(groups);
    // A proxy brings people whom nothing lets in with each page that they try: these count for nothing.
    const mayCome = invitation !== null || isOpen || mapped.length > 0;
    if (!mayCome) return null;
    const tooMany = await this.#deps.limits.count('account', request.clientAddress);
    if (tooMany) return tooMany;
    const account = { ...who, passwordHash: null, isEmailVerified: true };
    const register = (team: StartingTeam) =>
      store.registrations.register(
        { account, team, link, token: null, isFirst: false },
        clock.now(),
      );
    const invited =
      invitation === null
        ? null
        : await register({ kind: 'invited', tokenHash: hashToken(invitation) });
    if (invited?.kind === 'registered') {
      const { teamId, userId } = invited;
      await activity.ofTeam(teamId, { userId }, { action: 'member.joined' });
      return { id: userId, email: who.email };
    }
    const byGroup = mapped.length > 0 && (await register({ kind: 'by-groups', mapped }));
    if (byGroup && byGroup.kind === 'registered') {
      const { teamId, userId, role, group } = byGroup;
      const detail = `${role}, by the group ${group}`;
      await activity.ofTeam(teamId, { userId }, { action: 'member.group-joined', detail });
      return { id: userId, email: who.email };
    }
    if (!isOpen) return null;
    const called = normalizeName(`${who.name}'s team`).slice(0, LIMITS.personNameCharacters);
    const isTheirs = checkChosenTeamName(called, this.#deps.config.groupRoles).length === 0;
    const name = isTheirs ? called : `Team of ${who.email}`.slice(0, LIMITS.personNameCharacters);
    const made = await register({ kind: 'new', name, plan: plans.ofNewTeam });
    return made.kind === 'registered' ? { id: made.userId, email: who.email } : null;
  }

  async #registerWithTeam(
    input: NewPerson & { team: string },
    request: RequestContext,
    how: How,
  ): Promise<SignedIn | Refused | TooMany | Closed> {
    const refused = gatherErrors({
      ...checkPerson(input),
      // The first account is the operator's.
      team: checkChosenTeamName(input.team, how.isFirst ? [] : this.#deps.config.groupRoles),
    });
    if (refused) return refused;
    const name = normalizeName(input.team);
    const { ofFirstTeam, ofNewTeam } = this.#deps.plans;
    const team = { kind: 'new' as const, name, plan: how.isFirst ? ofFirstTeam : ofNewTeam };
    const result = await this.#make(input, team, how, request);
    if (result.kind === 'closed' || result.kind === 'not-invited') return { kind: 'closed' };
    return 'userId' in result ? this.#enter(input, request) : explain(result);
  }

  async #make(
    { name, email, password }: NewPerson,
    team: StartingTeam,
    { isEmailVerified, ...how }: How,
    request: RequestContext,
  ): Promise<Registered | TooMany> {
    const { store, clock, passwords, limits } = this.#deps;
    const tooMany = await limits.count('account', request.clientAddress);
    if (tooMany) return tooMany;
    return orBusy(async () => {
      const passwordHash = await passwords.hash(password);
      const who = { name: normalizeName(name), email: normalizeEmail(email) };
      const account = { ...who, passwordHash, isEmailVerified };
      return store.registrations.register({ account, team, token: null, ...how }, clock.now());
    });
  }

  async #enter(person: NewPerson, request: RequestContext): Promise<SignedIn | TooMany> {
    const opened = await orBusy(() => this.#deps.sessions.open(person, request));
    if (opened.kind === 'too-many') return opened;
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
