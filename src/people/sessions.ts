import { normalizeEmail } from '#domain/team/email-address';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';
import { PROXY_ISSUER } from '#store/people/provider-links';
import type { FoundSession, Rotation } from '#store/people/sessions';
import type { TeamOfUser, UserWithTeams } from '#store/people/users';
import type { Context, RequestContext } from './context.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { rememberDevice } from './devices.ts';
import { makeOneTimeSecret, validMsOf } from './links.ts';
import type { TooMany } from './outcomes.ts';
import type { ProviderSettings } from './provider.ts';
import { guessAtSignIn } from './password-guesses.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/**
 * The browser has a random token, the database its hash. Tokens are made here and never taken from a request. A change
 * of the password or second factor replaces them.
 */

export type { TeamOfUser } from '#store/people/users';

/** `setCookies` are whole `Set-Cookie` values. */
export interface SignedIn {
  kind: 'signed-in';
  setCookies: string[];
}

type Opened = SignedIn | { kind: 'second-factor'; setCookies: string[] } | { kind: 'wrong' };

export interface Session {
  /** Guesses are counted by it. */
  id: string;
  user: {
    id: string;
    name: string;
    email: string;
    isEmailVerified: boolean;
    hasSecondFactor: boolean;
  };
  /** Null if no team is selected (§5.2). */
  team: TeamOfUser | null;
  /** Sorted by name. */
  teams: TeamOfUser[];
  setCookies: string[];
  /** The proxy named the person, and there is no session. */
  isByProxy: boolean;
}

const COOKIE = 'belfry.session_token';
export const CHALLENGE_COOKIE = 'belfry.two_factor';
const IDLE_MS = 14 * DAY_MS;
/** Once a day, so that most requests write nothing. */
const EXTEND_MS = DAY_MS;
const LONGEST_USER_AGENT = 300;

/** By the proxy's headers if there are any, else by the session cookie. */
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

/** Nothing is stored: the proxy names the user in each request. */
export async function ofProxied(context: Context, userId: string): Promise<Session | null> {
  const found = await context.store.users.findWithTeams(userId);
  if (!found) return null;
  return { id: `proxy ${userId}`, ...withCurrentTeam(found), setCookies: [], isByProxy: true };
}

/** User, team and role are read each time, so changes take effect at once. */
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

/** A wrong email looks like a wrong password and takes the same time. */
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
  const value = await makeOneTimeSecret(context, { purpose: 'second-factor', whom: userId });
  const cookie = { name: CHALLENGE_COOKIE, value, validMs: validMsOf('second-factor') };
  return { kind: 'second-factor', setCookies: [writeCookie(context, cookie)] };
}

/** Must still be valid when the session is opened. */
interface Known {
  passwordHash?: string;
  challenge?: { purpose: string; hash: string };
  provider?: Pick<ProviderSettings, 'name' | 'issuer'>;
}

/**
 * Ends the browser's earlier session and makes the browser known.
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
  const detail = `from ${address}${provider ? `, by ${provider.name}` : ''}`;
  await activity.ofAccount(userId, { action: 'account.signed-in', detail });
  const setCookies = [sessionCookie(context, token), rememberDevice(context, headers, email)];
  return { kind: 'signed-in', setCookies, sessionId };
}

/** For a session whose rights change. Null: by proxy, without a session. */
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

/** Without anything that was typed. */
export function logRefused(
  { log }: Context,
  reason: string,
  { clientAddress }: RequestContext,
): void {
  log.info('account.not-signed-in', { reason, address: clientAddress });
}

/** Also if the proxy names the user. */
export async function signOut(
  context: Context,
  { headers }: RequestContext,
): Promise<{ setCookies: string[] }> {
  const token = readToken(context, headers);
  if (token !== null) await context.store.sessions.end(hashToken(token));
  return { setCookies: [deleteCookie(context, COOKIE)] };
}

/** Also this session and all open one-time tokens. */
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

/** By age, however much it is used. */
function isOver({ clock, config }: Context, { openedAt, openedBy }: FoundSession): boolean {
  // A session from far in the future was opened before the clock was set back.
  const age = Math.abs(clock.now() - openedAt);
  const { providerSessionHours: hours } = config;
  if (hours !== null && openedBy !== null && age >= hours * HOUR_MS) return true;
  return age >= config.sessionMaxDays * DAY_MS;
}
