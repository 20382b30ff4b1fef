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

export async function confirmPassword(
  context: Context,
  password: string,
  request: RequestContext,
): Promise<{ kind: 'confirmed'; user: User } | Refused | TooMany> {
  const provider = await withoutPassword(context, request);
  if (provider !== null) return provider;
  return withPassword(context, { password, request }, async (session) => {
    const user = await context.store.users.find(session.user.id);
    return user ? { kind: 'confirmed', user } : refuse('password', SIGNED_OUT);
  });
}

/** @param act gets the session and the password's hash */
export async function withPassword<T extends { kind: string }>(
  context: Context,
  { password, request, field = 'password' }: Asking,
  act: (session: Session, hash: string) => Promise<T>,
): Promise<T | Refused | TooMany> {
  const { store, passwords } = context;
  return inSession(context, request, field, async (session) => {
    const hash = await store.users.readPasswordHash(session.user.id);
    const isRight = await passwords.verify(password, hash);
    return hash !== null && isRight ? act(session, hash) : refuse(field, WRONG_PASSWORD);
  });
}

interface Asking {
  password: string;
  request: RequestContext;
  field?: string;
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

export async function inSession<T extends { kind: string }>(
  context: Context,
  request: RequestContext,
  field: string,
  guess: (session: Session) => Promise<T>,
): Promise<T | Refused | TooMany> {
  const session = await whoIs(context, request);
  if (!session) return refuse(field, SIGNED_OUT);
  return guessInSession(context, session.id, request, () => guess(session));
}
