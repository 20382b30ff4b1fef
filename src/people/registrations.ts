import { type Arrival, isLocal } from '#domain/http/arrival';
import { normalizeEmail } from '#domain/team/email-address';
import { LIMITS } from '#domain/base/limits';
import type { ProviderLink } from '#store/people/provider-links';
import type { Registration, StartingTeam } from '#store/people/registration';
import { isSetupCode, makeSetupCode } from './codes.ts';
import type { Context, RequestContext } from './context.ts';
import { isSame } from './cookies.ts';
import { checkEmail, checkName, checkPassword, gatherErrors, normalizeName } from './fields.ts';
import { mappedTo } from './group-memberships.ts';
import { checkChosenTeamName } from './groups.ts';
import { keyOf, makeLink } from './links.ts';
import { writeEmailMail } from './mails.ts';
import { NOT_FOUND, type NotFound, refuse, type Refused, type TooMany } from './outcomes.ts';
import { orBusy } from './passwords.ts';
import { PASSWORDS_OFF } from './reauthentication.ts';
import { hashToken, isTokenShaped, macOf } from './secrets.ts';
import { open, type SignedIn } from './sessions.ts';
import { readSignUp } from './sign-ups.ts';

/** Accounts: the first one, by invitation, or by open sign-up (§5.7). */

interface NewPerson {
  name: string;
  email: string;
  password: string;
}

interface How extends Pick<Registration, 'oneTimeToken'> {
  team: Extract<StartingTeam, { kind: 'new' | 'invited' }>;
  isFirst?: boolean;
  isEmailVerified: boolean;
}
type Closed = { kind: 'closed' };
export type FirstAccount = { code: string; isCodeAlwaysAsked: boolean };

const WRONG_CODE =
  'This is not the code. Find it in the service’s log, or run `belfry setup-code`.';

/** `/setup` is then closed. */
export async function isSetUp(context: Context): Promise<boolean> {
  return context.store.registrations.hasBegun();
}

/** Everyone except a program on this machine. */
export function asksSetupCode(context: Context, arrival: Arrival): boolean {
  return context.config.isBehindProxy || !isLocal(arrival);
}

/** For the log at the start; null once there is an account. */
export async function findFirstAccount(context: Context): Promise<FirstAccount | null> {
  if (await isSetUp(context)) return null;
  const { appKey, isBehindProxy } = context.config;
  return { code: makeSetupCode(appKey), isCodeAlwaysAsked: isBehindProxy };
}

export function mayRegister(context: Context): boolean {
  const { signUp, passwordSignIn } = context.config;
  return signUp === 'open' && passwordSignIn;
}

/** Of several simultaneous tries exactly one succeeds. */
export async function createFirstAccount(
  context: Context,
  input: NewPerson & { team: string; code?: string },
  request: RequestContext,
  arrival: Arrival,
): Promise<SignedIn | Refused | TooMany | Closed> {
  if (await isSetUp(context)) return { kind: 'closed' };
  const { limits, config, plans } = context;
  if (asksSetupCode(context, arrival)) {
    const tooMany = await limits.count('guess', request.clientAddress);
    if (tooMany) return tooMany;
    if (!isSetupCode(input.code ?? '', makeSetupCode(config.appKey))) {
      return refuse('code', WRONG_CODE);
    }
    await limits.takeBack('guess', request.clientAddress);
  }
  const team = { kind: 'new', name: normalizeName(input.team), plan: plans.ofFirstTeam } as const;
  return makeAccount(context, input, { team, isFirst: true, isEmailVerified: true }, request);
}

export async function register(
  context: Context,
  input: NewPerson & { team: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany | Closed> {
  if (!mayRegister(context) || !(await isSetUp(context))) return { kind: 'closed' };
  // With SMTP, the address is confirmed first.
  if (context.mailer.sends) return { kind: 'closed' };
  const how = { team: newTeam(context, input.team), isEmailVerified: false };
  return makeAccount(context, input, how, request);
}

/** The mailed link proves the address. */
export async function finishSignUp(
  context: Context,
  token: string,
  input: Omit<NewPerson, 'email'> & { team: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany | Closed> {
  const oneTimeToken = keyOf('sign-up', token);
  if (!mayRegister(context) || !oneTimeToken) return { kind: 'closed' };
  const email = await readSignUp(context, token);
  if (email === null) return { kind: 'closed' };
  const how = { team: newTeam(context, input.team), isEmailVerified: true, oneTimeToken };
  return makeAccount(context, { ...input, email }, how, request);
}

/**
 * Ignores `email` if the invitation names one.
 * @param input `mailed` is the mark in a mailed link
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
  const mark = markOf(context, token, normalizeEmail(person.email));
  const isEmailVerified = isSame(input.mailed ?? '', mark);
  const team = { kind: 'invited', tokenHash } as const;
  const made = await makeAccount(context, person, { team, isEmailVerified }, request);
  return made.kind === 'closed' ? NOT_FOUND : made;
}

/**
 * Marks the mailed link of an invitation; the copied link has none. It proves that its bearer reads the address's
 * mails.
 */
export function markOf({ config }: Context, invitationToken: string, email: string): string {
  return macOf(config.appKey, 'belfry mailed invitations', `${invitationToken} ${email}`);
}

function newTeam({ plans }: Context, name: string) {
  return { kind: 'new', name: normalizeName(name), plan: plans.ofNewTeam } as const;
}

async function makeAccount(
  context: Context,
  person: NewPerson,
  { team, isFirst = false, isEmailVerified, ...how }: How,
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany | Closed> {
  const { store, clock, passwords, limits, config } = context;
  const refused = gatherErrors({
    name: checkName(person.name, 'your name'),
    email: checkEmail(person.email),
    password: checkPassword(person.password),
    // The first account is the operator's.
    ...(team.kind === 'new' && {
      team: checkChosenTeamName(team.name, isFirst ? [] : config.groupRoles),
    }),
  });
  if (refused) return refused;
  const tooMany = await limits.count('account', request.clientAddress);
  if (tooMany) return tooMany;
  const hashed = await orBusy(async () => {
    return { kind: 'hashed' as const, hash: await passwords.hash(person.password) };
  });
  if (hashed.kind === 'too-many') return hashed;
  const email = normalizeEmail(person.email);
  const name = normalizeName(person.name);
  const account = { name, email, passwordHash: hashed.hash, isEmailVerified };
  const registration = { account, team, token: null, isFirst, ...how };
  const made = await store.registrations.register(registration, clock.now());
  if (made.kind === 'email-taken')
    return refuse('email', 'There is an account with this email. Sign in instead.');
  if (made.kind === 'closed' || made.kind === 'not-invited') return { kind: 'closed' };
  if (made.kind !== 'registered') throw new Error(`registration came to ${made.kind}`);
  const user = { id: made.userId, email };
  if (team.kind === 'invited') await welcome(context, user, made.teamId, isEmailVerified);
  const opened = await open(context, user, request, { passwordHash: hashed.hash });
  if (!opened) throw new Error('a new account could not be signed in to');
  return opened;
}

async function welcome(
  context: Context,
  user: { id: string; email: string },
  teamId: string,
  isEmailVerified: boolean,
): Promise<void> {
  const { activity, background, mailer } = context;
  await activity.ofTeam(teamId, { userId: user.id }, { action: 'member.joined' });
  if (!mailer.sends || isEmailVerified) return;
  background.run('accounts.email-not-confirmed', () => mailConfirmation(context, user));
}

export async function mailConfirmation(
  context: Context,
  { id, email }: { id: string; email: string },
): Promise<void> {
  if (await context.limits.count('mailbox', email)) return;
  const wanted = { purpose: 'change-email', whom: id, detail: email, replaces: true } as const;
  await context.mailer.send(writeEmailMail(email, await makeLink(context, wanted)));
}

/** @param person the verified email in lower case */
export async function registerByProvider(
  context: Context,
  { link, ...who }: { name: string; email: string; link: ProviderLink },
  { invitation, groups }: { invitation: string | null; groups: readonly string[] },
  request: RequestContext,
): Promise<{ id: string; email: string } | null | TooMany> {
  if (!(await isSetUp(context))) return null;
  const { store, clock, activity } = context;
  const mapped = await mappedTo(context, groups);
  const teams: StartingTeam[] = [];
  if (invitation !== null) teams.push({ kind: 'invited', tokenHash: hashToken(invitation) });
  if (mapped.length > 0) teams.push({ kind: 'by-groups', mapped });
  if (context.config.signUp === 'open') teams.push(ownTeamOf(context, who));
  // Users without access send a claim with each page, so these requests aren't counted.
  if (teams.length === 0) return null;
  const tooMany = await context.limits.count('account', request.clientAddress);
  if (tooMany) return tooMany;
  const account = { ...who, passwordHash: null, isEmailVerified: true };
  for (const team of teams) {
    const made = await store.registrations.register(
      { account, team, link, token: null, isFirst: false },
      clock.now(),
    );
    if (made.kind !== 'registered') continue;
    const { teamId, userId, role, group } = made;
    const detail = `${role}, by the group ${group}`;
    if (team.kind === 'invited')
      await activity.ofTeam(teamId, { userId }, { action: 'member.joined' });
    if (team.kind === 'by-groups')
      await activity.ofTeam(teamId, { userId }, { action: 'member.group-joined', detail });
    return { id: userId, email: who.email };
  }
  return null;
}

function ownTeamOf(
  context: Context,
  { name, email }: { name: string; email: string },
): StartingTeam {
  const called = normalizeName(`${name}'s team`).slice(0, LIMITS.personNameCharacters);
  const isFree = checkChosenTeamName(called, context.config.groupRoles).length === 0;
  const other = `Team of ${email}`.slice(0, LIMITS.personNameCharacters);
  return newTeam(context, isFree ? called : other);
}
