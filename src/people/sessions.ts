import { PROXY_ISSUER } from '#store/people/provider-links';
import type { SessionOrigin } from '#store/people/session-origins';
import type { TeamOfUser } from '#store/people/users';
import type { Context } from './context.ts';
import { rememberDevice } from './devices.ts';
import { normalizeEmail } from './fields.ts';
import type { TooMany } from './outcomes.ts';
import { guessAtSignIn } from './password-guesses.ts';
import { cookiesOf, pickCookies, type RequestContext } from './request-context.ts';

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
  /** The user's current team (§5.2); null where it was deleted or the user left it, and no other was chosen since. */
  team: TeamOfUser | null;
  /** Every team of the user, by name. */
  teams: TeamOfUser[];
  /** `Set-Cookie` values to send with this answer; mostly none. */
  setCookies: string[];
  /** How it was opened. */
  origin: SessionOrigin;
  /** True: the proxy named the person in this request, and there is no session that lasts. */
  isByProxy: boolean;
  openedAt: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Signs users in and out, and finds the user of a request. */

/** Whom the request is from: by the proxy's word if there is one, else by the session cookie. */
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

/** Somebody whom the proxy names. It does so with each request, so there is no session behind this. */
export async function ofProxied(context: Context, userId: string): Promise<Session | null> {
  const found = await readUser(context, userId);
  return (
    found && {
      id: `proxy ${userId}`,
      ...found,
      setCookies: [],
      origin: { openedBy: null },
      isByProxy: true,
      openedAt: context.clock.now(),
    }
  );
}

/** The session of these cookies. User, team and role are read each time, so that changes take effect at once. */
export async function readSession(context: Context, headers: Headers): Promise<Session | null> {
  if (pickCookies(headers, ['session']) === '') return null;
  const request = { headers, clientAddress: '' };
  const answer = await context.authLibrary.ask(request, ['session'], (api, shown) =>
    api.getSession({ headers: shown, returnHeaders: true }),
  );
  if (answer.kind === 'declined' || !answer.response) return null;
  const { session } = answer.response;
  const [origin, found] = await Promise.all([
    context.store.sessionOrigins.read(session.id),
    readUser(context, session.userId),
  ]);
  if (isOver(context, session.createdAt, origin)) {
    await signOut(context, request);
    return null;
  }
  return (
    found && {
      id: session.id,
      ...found,
      setCookies: answer.setCookies,
      origin,
      isByProxy: false,
      openedAt: session.createdAt.getTime(),
    }
  );
}

async function readUser(
  context: Context,
  userId: string,
): Promise<Pick<Session, 'user' | 'team' | 'teams'> | null> {
  const { users } = context.store;
  const [found, teams] = await Promise.all([users.find(userId), users.listTeams(userId)]);
  if (!found) return null;
  const { currentTeamId, ...user } = found;
  return { user, team: teams.find(({ id }) => id === currentTeamId) ?? null, teams };
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

/** Signs in without counting a guess: the caller has counted it, or has just set the password. */
export async function openByPassword(
  context: Context,
  { email, password }: { email: string; password: string },
  request: RequestContext,
): Promise<Opened> {
  const body = { email: normalizeEmail(email), password };
  const answer = await context.authLibrary.ask(request, [], (api, headers) =>
    api.signInEmail({ body, headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') return { kind: 'wrong' };
  const { response, setCookies } = answer;
  if ('twoFactorRedirect' in response) return { kind: 'second-factor', setCookies };
  return enter(context, response.user, setCookies, request);
}

/** Signs in somebody who is known by other means, such as the operator's provider. */
export async function openFor(
  context: Context,
  user: { id: string; email: string },
  request: RequestContext,
  { by, issuer }: { by: string; issuer: string },
): Promise<SignedIn & { sessionId: string }> {
  const body = { userId: user.id };
  const answer = await context.authLibrary.ask(request, [], (api, headers) =>
    api.openSession({ body, headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') throw new Error(`no session was opened: ${answer.code}`);
  const { sessionId } = answer.response;
  await context.store.sessionOrigins.keep(sessionId, { openedBy: issuer });
  const entered = await enter(context, user, answer.setCookies, request, by);
  return { ...entered, sessionId };
}

/** Completes a sign-in. Ends the browser's earlier session, and remembers the browser for the account. */
export async function enter(
  context: Context,
  { id, email }: { id: string; email: string },
  setCookies: readonly string[],
  request: RequestContext,
  by: string | null = null,
): Promise<SignedIn> {
  const { log, activity } = context;
  log.info('account.signed-in', { userId: id, address: request.clientAddress });
  const detail = `from ${request.clientAddress}${by === null ? '' : `, by ${by}`}`;
  await activity.ofAccount(id, { action: 'account.signed-in', detail });
  if (pickCookies(request.headers, ['session']) !== '') await signOut(context, request);
  const known = rememberDevice(context, request.headers, email);
  return { kind: 'signed-in', setCookies: [...setCookies, known] };
}

/**
 * Makes the session that the auth library has put in place of one what that one was: with a password or a second
 * factor, nobody's session becomes one that the provider or the proxy has no say in.
 *
 * @param setCookies  those of the new session; none where the library has left the old one
 */
export async function handOn(
  context: Context,
  { origin, openedAt }: Session,
  setCookies: readonly string[],
): Promise<void> {
  if (origin.openedBy === null) return;
  const next = await readSession(context, cookiesOf(setCookies));
  if (next) await context.store.sessionOrigins.handOn(next.id, origin, openedAt);
}

/** Logs a refused sign-in, without anything that was typed. */
export function logRefused(
  context: Context,
  reason: string,
  { clientAddress }: RequestContext,
): void {
  context.log.info('account.not-signed-in', { reason, address: clientAddress });
}

/** Ends the session of the cookie, also if the request is from somebody whom the proxy names. */
export async function signOut(
  context: Context,
  request: RequestContext,
): Promise<{ setCookies: string[] }> {
  const ofCookie = { ...request, claim: null };
  const answer = await context.authLibrary.ask(ofCookie, ['session'], (api, headers) =>
    api.signOut({ headers, returnHeaders: true }),
  );
  return { setCookies: answer.kind === 'answered' ? answer.setCookies : [] };
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

function isOver(context: Context, createdAt: Date, { openedBy }: SessionOrigin): boolean {
  const { clock, config } = context;
  const age = clock.now() - createdAt.getTime();
  const { providerSessionHours: hours } = config;
  if (hours !== null && openedBy !== null && age >= hours * HOUR_MS) return true;
  return age >= config.sessionMaxDays * DAY_MS;
}
