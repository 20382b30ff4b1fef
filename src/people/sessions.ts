import { PROXY_ISSUER } from '#store/people/provider-links';
import type { FoundSession, Rotation } from '#store/people/sessions';
import type { TeamOfUser, UserWithTeams } from '#store/people/users';
import type { Context } from './context.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { rememberDevice } from './devices.ts';
import { normalizeEmail } from './fields.ts';
import { makeSecrets, validMsOf } from './links.ts';
import type { TooMany } from './outcomes.ts';
import { guessAtSignIn } from './password-guesses.ts';
import type { RequestContext } from './request-context.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/**
 * Sessions. The browser keeps a random token in a cookie, and the database its hash. A token is always made here and
 * never taken from a request. A change of the password or of the second factor replaces it.
 */

export type { TeamOfUser } from '#store/people/users';

/** `setCookies` are whole `Set-Cookie` values, to be sent with the answer. */
export interface SignedIn {
  kind: 'signed-in';
  setCookies: string[];
}

type Opened = SignedIn | { kind: 'second-factor'; setCookies: string[] } | { kind: 'wrong' };

export interface Session {
  /** By which guesses are counted. */
  id: string;
  user: {
    id: string;
    name: string;
    email: string;
    isEmailVerified: boolean;
    hasSecondFactor: boolean;
  };
  /** The user's current team (§5.2); null if it was deleted or the user left it, and has selected no other since. */
  team: TeamOfUser | null;
  /** Every team of the user, by name. */
  teams: TeamOfUser[];
  /** `Set-Cookie` values to send with this answer; mostly none. */
  setCookies: string[];
  /** True: the proxy named the person in this request, and there is no session that lasts. */
  isByProxy: boolean;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const COOKIE = 'belfry.session_token';
/** The cookie between the password and the code. */
export const CHALLENGE_COOKIE = 'belfry.two_factor';
/** An unused session ends after this time. */
const IDLE_MS = 14 * DAY_MS;
/** A used session is extended once a day, so that most requests write nothing. */
const EXTEND_MS = DAY_MS;
const LONGEST_USER_AGENT = 300;

/** The user of a request: by the proxy's headers if there are any, else by the session cookie. */
export async function whoIs(
  context: Context,
  { headers, claim }: RequestContext,
): Promise<Session | null> {
  if (!claim) return readSession(context, headers);
  if (claim.kind !== 'person') return null;
  const link = { issuer: PROXY_ISSUER, subject: claim.email };
  const account = await context.store.providerLinks.find(link);
  return account && ofProxied(context, account.id);
}

/** A user whom the proxy names. It does so in each request, so nothing is stored. */
export async function ofProxied(context: Context, userId: string): Promise<Session | null> {
  const found = await context.store.users.findWithTeams(userId);
  if (!found) return null;
  return { id: `proxy ${userId}`, ...withCurrentTeam(found), setCookies: [], isByProxy: true };
}

/** The session of these cookies. User, team and role are read each time, so that changes take effect at once. */
export async function readSession(context: Context, headers: Headers): Promise<Session | null> {
  const { store, clock } = context;
  const token = readToken(context, headers);
  if (token === null) return null;
  const now = clock.now();
  const found = await store.sessions.find(hashToken(token), now);
  if (!found) return null;
  if (isOver(context, found)) {
    await store.sessions.end(hashToken(token));
    return null;
  }
  const { id } = found;
  const remains = found.expiresAt - now;
  const setCookies: string[] = [];
  // More than the whole time remains if the clock was set back.
  if (remains <= IDLE_MS - EXTEND_MS || remains > IDLE_MS) {
    await store.sessions.extend(id, now + IDLE_MS);
    setCookies.push(sessionCookie(context, token));
  }
  return { id, ...withCurrentTeam(found), setCookies, isByProxy: false };
}

function withCurrentTeam({ user, teams }: UserWithTeams): Pick<Session, 'user' | 'team' | 'teams'> {
  const { currentTeamId, ...shown } = user;
  return { user: shown, team: teams.find(({ id }) => id === currentTeamId) ?? null, teams };
}

/** A wrong email and a wrong password look the same and take the same time. */
export async function signIn(
  context: Context,
  { email, password }: { email: string; password: string },
  request: RequestContext,
): Promise<Opened | TooMany> {
  if (!context.config.passwordSignIn) {
    logRefused(context, 'passwords are switched off', request);
    return { kind: 'wrong' };
  }
  const outcome = await guessAtSignIn(context, email, request, () =>
    openByPassword(context, { email, password }, request),
  );
  if (outcome.kind !== 'signed-in') logRefused(context, outcome.kind, request);
  return outcome;
}

async function openByPassword(
  context: Context,
  { email, password }: { email: string; password: string },
  request: RequestContext,
): Promise<Opened> {
  const { store, passwords } = context;
  const user = await store.users.findByEmail(normalizeEmail(email));
  const passwordHash = user && (await store.users.readPasswordHash(user.id));
  const isRight = await passwords.verify(password, passwordHash);
  if (!user || passwordHash === null || !isRight) return { kind: 'wrong' };
  if (user.hasSecondFactor) return askForCode(context, user.id);
  return (await open(context, user, request, { passwordHash })) ?? { kind: 'wrong' };
}

async function askForCode(context: Context, userId: string): Promise<Opened> {
  const wanted = { purpose: 'second-factor' as const, whom: userId };
  const [value = ''] = await makeSecrets(context, [wanted], { replaces: false });
  const cookie = { name: CHALLENGE_COOKIE, value, validMs: validMsOf('second-factor') };
  return { kind: 'second-factor', setCookies: [writeCookie(context, cookie)] };
}

/** How the user was authenticated. It must still be valid when the session is opened. */
interface Known {
  passwordHash?: string;
  challenge?: { purpose: string; hash: string };
  /** The provider, as people call it and by its issuer. */
  provider?: { by: string; issuer: string };
}

/**
 * Signs a user in. The browser's earlier session ends, and the browser becomes known to the account.
 *
 * @returns null if the authentication is no longer valid
 */
export async function open(
  context: Context,
  { id: userId, email }: { id: string; email: string },
  { headers, clientAddress: address }: RequestContext,
  { passwordHash, challenge, provider }: Known,
): Promise<(SignedIn & { sessionId: string }) | null> {
  const { store, clock, log, activity } = context;
  const token = makeSecret();
  const earlier = readToken(context, headers);
  const now = clock.now();
  const sessionId = await store.sessions.open(
    {
      userId,
      tokenHash: hashToken(token),
      openedBy: provider?.issuer ?? null,
      address,
      userAgent: headers.get('user-agent')?.slice(0, LONGEST_USER_AGENT) ?? null,
      expiresAt: now + IDLE_MS,
    },
    { ...(passwordHash && { passwordHash }), ...(challenge && { challenge }) },
    { replaced: earlier && hashToken(earlier), now },
  );
  if (sessionId === null) return null;
  log.info('account.signed-in', { userId, address });
  const detail = `from ${address}${provider ? `, by ${provider.by}` : ''}`;
  await activity.ofAccount(userId, { action: 'account.signed-in', detail });
  const setCookies = [sessionCookie(context, token), rememberDevice(context, headers, email)];
  return { kind: 'signed-in', setCookies, sessionId };
}

/** A new token for the request's session, whose rights are about to change. Null: the proxy vouches, and there is none. */
export function rotationOf(
  context: Context,
  session: Session,
): { rotation: Rotation; setCookies: string[] } | null {
  if (session.isByProxy) return null;
  const token = makeSecret();
  const expiresAt = context.clock.now() + IDLE_MS;
  return {
    rotation: { sessionId: session.id, tokenHash: hashToken(token), expiresAt },
    setCookies: [sessionCookie(context, token)],
  };
}

/** Logs a refused sign-in, without anything that was typed. */
export function logRefused(
  { log }: Context,
  reason: string,
  { clientAddress }: RequestContext,
): void {
  log.info('account.not-signed-in', { reason, address: clientAddress });
}

/** Ends the session of the cookie, also if the proxy names the user. */
export async function signOut(
  context: Context,
  { headers }: RequestContext,
): Promise<{ setCookies: string[] }> {
  const token = readToken(context, headers);
  if (token !== null) await context.store.sessions.end(hashToken(token));
  return { setCookies: [deleteCookie(context, COOKIE)] };
}

/** Ends every session of the user, this one included, and drops every open one-time token of theirs. */
export async function signOutEverywhere(
  context: Context,
  { userId, revokesToken }: { userId: string; revokesToken: boolean },
  request: RequestContext,
): Promise<{ setCookies: string[] }> {
  await context.store.users.endAccess(userId, { revokesToken });
  await context.activity.ofAccount(userId, { action: 'account.signed-out' });
  return signOut(context, request);
}

function readToken(context: Context, headers: Headers): string | null {
  const token = readCookie(context, headers, COOKIE);
  return token !== null && isTokenShaped(token) ? token : null;
}

function sessionCookie(context: Context, token: string): string {
  return writeCookie(context, { name: COOKIE, value: token, validMs: IDLE_MS });
}

/** Whether a session has ended by its age, however much it is used. */
function isOver({ clock, config }: Context, { openedAt, openedBy }: FoundSession): boolean {
  // A session from far in the future was opened before the clock was set back.
  const age = Math.abs(clock.now() - openedAt);
  const { providerSessionHours: hours } = config;
  if (hours !== null && openedBy !== null && age >= hours * HOUR_MS) return true;
  return age >= config.sessionMaxDays * DAY_MS;
}
