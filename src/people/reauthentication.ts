import type { User } from '#store/people/users';
import type { Context, RequestContext } from './context.ts';
import { deleteCookie, readSigned, type SignedCookie, writeSigned } from './cookies.ts';
import { refuse, type Refused, type TooMany } from './outcomes.ts';
import { guessInSession } from './password-guesses.ts';
import { PROXY_NAME } from './proxy-claim.ts';
import { type Session, whoIs } from './sessions.ts';

/**
 * Sensitive actions need the password again, or a fresh sign-in at the provider, which a cookie for this session
 * proves.
 */

export const PASSWORDS_OFF = 'Passwords are switched off here.';
const WRONG_PASSWORD = 'This is not your password.';
export const SIGNED_OUT = 'Sign in again and repeat this.';

/** How long a fresh provider sign-in replaces the password. */
const PROOF: SignedCookie = { name: 'belfry_provider_again', validMs: 10 * 60_000 };

export function proveAgain(context: Context, sessionId: string): string {
  return writeSigned(context, PROOF, sessionId);
}

/** After any other sign-in at the provider. */
export function forgetProof(context: Context): string {
  return deleteCookie(context, PROOF.name);
}

type Outcome = { kind: string };
type Act<Given, T> = (context: Context, given: Given, request: RequestContext) => Promise<T>;

/** @param field has the error if the session has ended; wrong outcomes are counted as guesses */
export function inSession<Given, T extends Outcome>(
  field: string,
  act: (context: Context, session: Session, given: Given, request: RequestContext) => Promise<T>,
): Act<Given, T | Refused | TooMany> {
  return async (context, given, request) => {
    const session = await whoIs(context, request);
    if (!session) return refuse(field, SIGNED_OUT);
    const guess = () => act(context, session, given, request);
    return guessInSession(context, session.id, request, guess);
  };
}

/** @param act gets the session and the password's hash */
export function withPassword<
  Field extends string,
  Given extends Record<Field, string>,
  T extends Outcome,
>(
  field: Field,
  act: (context: Context, session: Session, given: Given, hash: string) => Promise<T>,
): Act<Given, T | Refused | TooMany> {
  return inSession(field, async (context, session, given) => {
    const hash = await context.store.users.readPasswordHash(session.user.id);
    const isRight = await context.passwords.verify(given[field], hash);
    if (hash === null || !isRight) return refuse(field, WRONG_PASSWORD);
    return act(context, session, given, hash);
  });
}

const byPassword = withPassword('password', async ({ store }, session) => {
  const user = await store.users.find(session.user.id);
  return user ? ({ kind: 'confirmed', user } as const) : refuse('password', SIGNED_OUT);
});

export async function confirmPassword(
  context: Context,
  password: string,
  request: RequestContext,
): Promise<{ kind: 'confirmed'; user: User } | Refused | TooMany> {
  const provider = await withoutPassword(context, request);
  return provider ?? byPassword(context, { password }, request);
}

/** By the password or at the provider. */
export function confirmed<Given extends { password: string }, T extends Outcome>(
  act: (context: Context, user: User, given: Given, request: RequestContext) => Promise<T>,
): Act<Given, T | Refused | TooMany> {
  return async (context, given, request) => {
    const outcome = await confirmPassword(context, given.password, request);
    return outcome.kind === 'confirmed' ? act(context, outcome.user, given, request) : outcome;
  };
}

/**
 * Null: by password. Otherwise at the provider, because the user has no password or passwords are off. A proxy offers
 * none, but names the user in each request.
 */
export async function describeConfirmation(
  context: Context,
  { id, user, isByProxy }: Session,
  headers: Headers,
): Promise<{ provider: string; isProved: boolean; asksAgain: boolean } | null> {
  const { store, config } = context;
  if (config.provider === null && config.proxySignIn === null) return null;
  const asksPassword =
    config.passwordSignIn && (await store.users.readPasswordHash(user.id)) !== null;
  if (asksPassword) return null;
  if (config.provider === null) {
    return { provider: PROXY_NAME, isProved: isByProxy, asksAgain: false };
  }
  const isProved = readSigned(context, PROOF, headers) === id;
  return { provider: config.provider.name, isProved, asksAgain: true };
}

async function withoutPassword(
  context: Context,
  request: RequestContext,
): Promise<{ kind: 'confirmed'; user: User } | Refused | null> {
  const { store } = context;
  const session = await whoIs(context, request);
  if (!session) return null;
  const how = await describeConfirmation(context, session, request.headers);
  if (how === null) return null;
  const user = await store.users.find(session.user.id);
  if (user && how.isProved) return { kind: 'confirmed', user };
  return refuse('password', `Confirm with ${how.provider} that it is you, then send this again.`);
}
