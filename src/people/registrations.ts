import { type Arrival, isLocal } from '#domain/arrival';
import { LIMITS } from '#domain/limits';
import type { ProviderLink } from '#store/people/provider-links';
import type { Registered, Registration, StartingTeam } from '#store/people/registration';
import type { Context } from './context.ts';
import { isMarkOf, mailConfirmation } from './email-links.ts';
import {
  checkEmail,
  checkName,
  checkPassword,
  gatherErrors,
  normalizeEmail,
  normalizeName,
} from './fields.ts';
import { mappedTo } from './group-memberships.ts';
import { checkChosenTeamName } from './groups.ts';
import { NOT_FOUND, type NotFound, refuse, type Refused, type TooMany } from './outcomes.ts';
import { orBusy } from './passwords.ts';
import { PASSWORDS_OFF } from './reauthentication.ts';
import type { RequestContext } from './request-context.ts';
import { hashToken, isTokenShaped } from './secrets.ts';
import { openByPassword, type SignedIn } from './sessions.ts';
import { isSetupCode, makeSetupCode } from './setup-code.ts';
import { SIGN_UP } from './sign-ups.ts';

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

/** True once any account was made here: `/setup` is closed from then on. */
export async function isSetUp(context: Context): Promise<boolean> {
  return context.store.registrations.hasBegun();
}

/** Whether a request for the first account must have the setup code: everyone's but a program's on this machine. */
export function asksSetupCode(context: Context, arrival: Arrival): boolean {
  return context.config.isBehindProxy || !isLocal(arrival);
}

/** The setup code, to be logged at the start, and whether every request needs it; null once there is an account. */
export async function findFirstAccount(context: Context): Promise<FirstAccount | null> {
  if (await isSetUp(context)) return null;
  const { appKey, isBehindProxy } = context.config;
  return { code: makeSetupCode(appKey), isCodeAlwaysAsked: isBehindProxy };
}

/** `SIGN_UP=open`: people may register without an invitation, with a password. */
export function mayRegister(context: Context): boolean {
  const { signUp, passwordSignIn } = context.config;
  return signUp === 'open' && passwordSignIn;
}

/** Makes the first account, its team and the session. Of several simultaneous tries exactly one succeeds. */
export async function createFirstAccount(
  context: Context,
  input: NewPerson & { team: string; code?: string },
  request: RequestContext,
  arrival: Arrival,
): Promise<SignedIn | Refused | TooMany | Closed> {
  if (await isSetUp(context)) return { kind: 'closed' };
  const { limits, config } = context;
  if (asksSetupCode(context, arrival)) {
    const tooMany = await limits.count('guess', request.clientAddress);
    if (tooMany) return tooMany;
    if (!isSetupCode(input.code ?? '', makeSetupCode(config.appKey))) {
      return refuse('code', WRONG_CODE);
    }
    await limits.takeBack('guess', request.clientAddress);
  }
  return registerWithTeam(context, input, request, { isFirst: true, isEmailVerified: true });
}

/** Registers without an invitation, with a team of one's own. */
export async function register(
  context: Context,
  input: NewPerson & { team: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany | Closed> {
  if (!mayRegister(context) || !(await isSetUp(context))) return { kind: 'closed' };
  // Where mails can be sent, the address is confirmed first.
  if (context.mailer.sends) return { kind: 'closed' };
  return registerWithTeam(context, input, request, { isFirst: false, isEmailVerified: false });
}

/** Registers by the link that `requestSignUp` mailed. The link gives the address and is used up. */
export async function finishSignUp(
  context: Context,
  token: string,
  input: Omit<NewPerson, 'email'> & { team: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany | Closed> {
  if (!mayRegister(context) || !isTokenShaped(token)) return { kind: 'closed' };
  const { store, clock } = context;
  const oneTimeToken = { purpose: SIGN_UP, hash: hashToken(token) };
  const email = await store.oneTimeTokens.read(
    oneTimeToken.purpose,
    oneTimeToken.hash,
    clock.now(),
  );
  if (email === null) return { kind: 'closed' };
  const how = { isFirst: false, isEmailVerified: true, oneTimeToken };
  return registerWithTeam(context, { ...input, email }, request, how);
}

/**
 * Makes an account by invitation, joins the team and signs in. `email` is ignored where the invitation names one.
 *
 * @param input  `mailed` is the mark in a mailed link, if the person came by one
 */
export async function registerByInvitation(
  context: Context,
  token: string,
  input: NewPerson & { mailed?: string },
  request: RequestContext,
): Promise<SignedIn | NotFound | Refused | TooMany> {
  if (!isTokenShaped(token)) return NOT_FOUND;
  if (!context.config.passwordSignIn) return refuse('password', PASSWORDS_OFF);
  const { store, clock } = context;
  const tokenHash = hashToken(token);
  const invitation = await store.invitations.findOpen(tokenHash, clock.now());
  if (!invitation) return NOT_FOUND;
  const person = { ...input, email: invitation.email ?? input.email };
  const refused = gatherErrors(checkPerson(person));
  if (refused) return refused;
  const { mailer, background, activity } = context;
  const isEmailVerified = isMarkOf(
    context,
    input.mailed ?? '',
    token,
    normalizeEmail(person.email),
  );
  const how = { isFirst: false, isEmailVerified };
  const result = await make(context, person, { kind: 'invited', tokenHash }, how, request);
  if (result.kind === 'not-invited') return NOT_FOUND;
  if (!('userId' in result)) return explain(result);
  const { userId, teamId } = result;
  await activity.ofTeam(teamId, { userId }, { action: 'member.joined' });
  if (mailer.sends && !isEmailVerified) {
    const user = { id: userId, email: normalizeEmail(person.email) };
    background.run('accounts.email-not-confirmed', () => mailConfirmation(context, user));
  }
  return enter(context, person, request);
}

/**
 * Makes an account for somebody whom the operator's provider has let in, and who has none: by an invitation, in a
 * team that GROUP_ROLES gives them, or with a team of their own where anybody may register. Null where none of these
 * lets them in.
 *
 * @param person  their email is in lower case, and verified by the provider
 */
export async function registerByProvider(
  context: Context,
  { link, ...who }: { name: string; email: string; link: ProviderLink },
  { invitation, groups }: { invitation: string | null; groups: readonly string[] },
  request: RequestContext,
): Promise<{ id: string; email: string } | null | TooMany> {
  if (!(await isSetUp(context))) return null;
  const isOpen = context.config.signUp === 'open';
  const { store, clock, plans, activity } = context;
  const mapped = await mappedTo(context, groups);
  // A proxy brings people whom nothing lets in with each page that they try: these count for nothing.
  const mayCome = invitation !== null || isOpen || mapped.length > 0;
  if (!mayCome) return null;
  const tooMany = await context.limits.count('account', request.clientAddress);
  if (tooMany) return tooMany;
  const account = { ...who, passwordHash: null, isEmailVerified: true };
  const register = (team: StartingTeam) =>
    store.registrations.register({ account, team, link, token: null, isFirst: false }, clock.now());
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
  const isTheirs = checkChosenTeamName(called, context.config.groupRoles).length === 0;
  const name = isTheirs ? called : `Team of ${who.email}`.slice(0, LIMITS.personNameCharacters);
  const made = await register({ kind: 'new', name, plan: plans.ofNewTeam });
  return made.kind === 'registered' ? { id: made.userId, email: who.email } : null;
}

async function registerWithTeam(
  context: Context,
  input: NewPerson & { team: string },
  request: RequestContext,
  how: How,
): Promise<SignedIn | Refused | TooMany | Closed> {
  const refused = gatherErrors({
    ...checkPerson(input),
    // The first account is the operator's.
    team: checkChosenTeamName(input.team, how.isFirst ? [] : context.config.groupRoles),
  });
  if (refused) return refused;
  const name = normalizeName(input.team);
  const { ofFirstTeam, ofNewTeam } = context.plans;
  const team = { kind: 'new' as const, name, plan: how.isFirst ? ofFirstTeam : ofNewTeam };
  const result = await make(context, input, team, how, request);
  if (result.kind === 'closed' || result.kind === 'not-invited') return { kind: 'closed' };
  return 'userId' in result ? enter(context, input, request) : explain(result);
}

async function make(
  context: Context,
  { name, email, password }: NewPerson,
  team: StartingTeam,
  { isEmailVerified, ...how }: How,
  request: RequestContext,
): Promise<Registered | TooMany> {
  const { store, clock, passwords, limits } = context;
  const tooMany = await limits.count('account', request.clientAddress);
  if (tooMany) return tooMany;
  return orBusy(async () => {
    const passwordHash = await passwords.hash(password);
    const who = { name: normalizeName(name), email: normalizeEmail(email) };
    const account = { ...who, passwordHash, isEmailVerified };
    return store.registrations.register({ account, team, token: null, ...how }, clock.now());
  });
}

async function enter(
  context: Context,
  person: NewPerson,
  request: RequestContext,
): Promise<SignedIn | TooMany> {
  const opened = await orBusy(() => openByPassword(context, person, request));
  if (opened.kind === 'too-many') return opened;
  if (opened.kind !== 'signed-in') throw new Error(`a new account came to ${opened.kind}`);
  return opened;
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
