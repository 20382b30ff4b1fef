import type {
  AuthenticationResponseJSON,
  AuthenticatorTransportFuture,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isId } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import type { StoredPasskey } from '#store/people/passkeys';
import type { Context, RequestContext } from './context.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { makeOneTimeSecret, type Purpose, takeSecret, validMsOf } from './links.ts';
import { DONE, type Done, NOT_FOUND, type NotFound, refuse, type TooMany } from './outcomes.ts';
import { guess } from './password-guesses.ts';
import { confirmed, inSession } from './reauthentication.ts';
import { logRefused, open, type SignedIn, whoIs } from './sessions.ts';

/**
 * A passkey proves two factors, so no code is needed: the device holds a key and has verified its owner.
 * @simplewebauthn/server checks signatures; it is loaded when first needed.
 */

export interface Passkey {
  id: string;
  name: string;
  createdAt: number;
}

/** WebAuthn's options as JSON, and a cookie for the answer. */
export interface Asked {
  kind: 'asked';
  options: string;
  setCookies: string[];
}

const COOKIE = 'belfry.passkey';
const MOST_PASSKEYS = 20;
/** A real answer has one or two kilobytes. */
const LONGEST_ANSWER = 16_384;
const NOT_ADDED = 'The passkey was not added. Begin again.';
/** While the user is unknown. */
const NOBODY = '-';

/** Not if passwords are switched off. */
export function offersPasskeys(context: Pick<Context, 'config'>): boolean {
  return partyOf(context) !== null;
}

/** Null: browsers support passkeys only on HTTPS with a host name, or on this machine. */
function partyOf({ config }: Pick<Context, 'config'>): { id: string; origin: string } | null {
  const { protocol, hostname, origin } = new URL(config.baseUrl);
  const isNumeric = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  if (!config.passwordSignIn || isNumeric) return null;
  return protocol === 'https:' || hostname === 'localhost' ? { id: hostname, origin } : null;
}

export async function beginPasskeySignIn(
  context: Context,
  request: RequestContext,
): Promise<Asked | TooMany | NotFound> {
  const party = partyOf(context);
  if (!party) return NOT_FOUND;
  const tooMany = await context.limits.count('passkey', request.clientAddress);
  if (tooMany) return tooMany;
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    userVerification: 'required',
  });
  return ask(context, options, { purpose: 'passkey-sign-in', whom: NOBODY });
}

/** @param answer JSON */
export async function signInByPasskey(
  context: Context,
  { answer }: { answer: string },
  request: RequestContext,
): Promise<SignedIn | { kind: 'wrong' } | TooMany> {
  const outcome = await guess(context, [['guess', request.clientAddress]], async () => {
    const passkey = await verifySignIn(context, answer, request);
    const user = passkey && (await context.store.users.find(passkey.userId));
    const opened = user && (await open(context, user, request, {}));
    if (!opened) return { kind: 'wrong' as const };
    return { ...opened, setCookies: [...opened.setCookies, deleteCookie(context, COOKIE)] };
  });
  if (outcome.kind === 'wrong') logRefused(context, 'passkey', request);
  return outcome;
}

async function verifySignIn(
  context: Context,
  answer: string,
  { headers }: RequestContext,
): Promise<StoredPasskey | null> {
  const { store } = context;
  const challenge = await takeChallenge(context, 'passkey-sign-in', headers);
  const response = readAnswer(answer) as AuthenticationResponseJSON | null;
  const party = partyOf(context);
  if (!challenge || !response || !party) return null;
  const passkey = await store.passkeys.find(response.id);
  if (!passkey) return null;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { credentialId: id, counter, transports } = passkey;
  const result = await orNull(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.detail,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter,
        transports: [...transports] as AuthenticatorTransportFuture[],
      },
    }),
  );
  if (!result?.verified) return null;
  return (await store.passkeys.count(passkey.id, result.authenticationInfo.newCounter))
    ? passkey
    : null;
}

export async function listPasskeys(context: Context, request: RequestContext): Promise<Passkey[]> {
  const session = await whoIs(context, request);
  const isAsked = session !== null && !session.isByProxy;
  const passkeys = isAsked ? await context.store.passkeys.list(session.user.id) : [];
  return passkeys.map(({ id, name, createdAt }) => ({ id, name, createdAt }));
}

/** Checks the password, because a passkey gives permanent access. */
export const beginPasskey = confirmed(async (context, user, _given, request) => {
  const party = partyOf(context);
  if (!party) return refuse('password', 'Passkeys need an address by HTTPS.');
  // Passkeys need a session that lasts (docs/decisions/0018).
  if (request.claim) return refuse('password', NOT_ADDED);
  const passkeys = await context.store.passkeys.list(user.id);
  if (passkeys.length >= MOST_PASSKEYS)
    return refuse('password', `An account has at most ${MOST_PASSKEYS} passkeys. Delete one.`);
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: 'Belfry',
    rpID: party.id,
    // The same for all passkeys of the user: an authenticator then replaces its older one.
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports] as AuthenticatorTransportFuture[],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return ask(context, options, { purpose: 'passkey-add', whom: user.id });
});

interface NewPasskey {
  name: string;
  answer: string;
}

/** The challenge shows that the password was checked. */
export const addPasskey = inSession(
  'passkey',
  async (context, { user }, { name, answer }: NewPasskey, request) => {
    const { activity, clock, store } = context;
    const challenge = await takeChallenge(context, 'passkey-add', request.headers);
    const response = readAnswer(answer) as RegistrationResponseJSON | null;
    const party = partyOf(context);
    if (request.claim || challenge?.whom !== user.id || !response || !party)
      return refuse('passkey', NOT_ADDED);
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const result = await orNull(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: challenge.detail,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: true,
      }),
    );
    if (!result?.verified) return refuse('passkey', NOT_ADDED);
    const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
    const credential = { credentialId: id, publicKey, counter, transports };
    const shown = name.trim().slice(0, LIMITS.personNameCharacters) || 'Passkey';
    if (!(await store.passkeys.add(user.id, shown, credential, clock.now())))
      return refuse('passkey', NOT_ADDED);
    await activity.accountChanged(user.id, { action: 'account.passkey', what: 'passkey, added' });
    return DONE;
  },
);

export async function deletePasskey(
  context: Context,
  id: string,
  request: RequestContext,
): Promise<Done | NotFound> {
  const session = await whoIs(context, request);
  if (!session || session.isByProxy || !isId(id)) return NOT_FOUND;
  if (!(await context.store.passkeys.delete(session.user.id, id))) return NOT_FOUND;
  const entry = { action: 'account.passkey', what: 'passkey, deleted' } as const;
  await context.activity.accountChanged(session.user.id, entry);
  return DONE;
}

/** For one answer of this browser. */
async function ask(
  context: Context,
  options: { challenge: string },
  { purpose, whom }: { purpose: Purpose; whom: string },
): Promise<Asked> {
  const value = await makeOneTimeSecret(context, { purpose, whom, detail: options.challenge });
  const cookie = writeCookie(context, { name: COOKIE, value, validMs: validMsOf(purpose) });
  return { kind: 'asked', options: JSON.stringify(options), setCookies: [cookie] };
}

/** Used up even by a wrong answer. */
function takeChallenge(context: Context, purpose: Purpose, headers: Headers) {
  return takeSecret(context, purpose, readCookie(context, headers, COOKIE));
}

function readAnswer(text: string): { id: string } | null {
  if (text.length > LONGEST_ANSWER) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return 'id' in value && typeof value.id === 'string' ? { ...value, id: value.id } : null;
  } catch {
    return null;
  }
}

/** The library throws for invalid answers. */
async function orNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}
