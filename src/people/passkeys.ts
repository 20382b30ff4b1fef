import { LIMITS } from '#domain/limits';
import type { Context } from './context.ts';
import {
  DONE,
  type Done,
  NOT_FOUND,
  type NotFound,
  refuse,
  type Refused,
  type TooMany,
} from './outcomes.ts';
import { confirmPassword, inSession } from './reauthentication.ts';
import { relyingPartyOf } from './relying-party.ts';
import type { RequestContext } from './request-context.ts';
import { enter, logRefused, type SignedIn, whoIs } from './sessions.ts';

export interface Passkey {
  id: string;
  name: string;
  createdAt: number;
}

/** The options of WebAuthn for the browser as JSON, and the cookie that has to come back with its answer. */
export interface Asked {
  kind: 'asked';
  options: string;
  setCookies: string[];
}

const MOST_PASSKEYS = 20;
/** Far above the one or two kilobytes of a real authenticator's answer. */
const LONGEST_ANSWER = 16_384;
const NOT_ADDED = 'The passkey was not added. Begin again.';

/**
 * Signing in without a password: a device proves that it holds a key, and has asked its owner for a PIN, a fingerprint
 * or a face. Those are two factors already, so no code is asked for.
 */

/** Not where the operator's provider is to be the only way in. */
export function offersPasskeys(context: Context): boolean {
  const { baseUrl, passwordSignIn } = context.config;
  return passwordSignIn && relyingPartyOf(baseUrl) !== null;
}

export async function beginPasskeySignIn(
  context: Context,
  request: RequestContext,
): Promise<Asked | TooMany | NotFound> {
  const { authLibrary, limits } = context;
  if (!offersPasskeys(context)) return NOT_FOUND;
  const tooMany = await limits.count('passkey', request.clientAddress);
  if (tooMany) return tooMany;
  const answer = await authLibrary.ask(request, [], (api, headers) =>
    api.generatePasskeyAuthenticationOptions({ headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') throw new TypeError(`no passkey is asked for: ${answer.code}`);
  const options = { ...answer.response, userVerification: 'required' };
  return { kind: 'asked', options: JSON.stringify(options), setCookies: answer.setCookies };
}

/** @param answer  the browser's answer, as JSON */
export async function signInByPasskey(
  context: Context,
  { answer: text }: { answer: string },
  request: RequestContext,
): Promise<SignedIn | { kind: 'wrong' } | TooMany> {
  const { authLibrary, limits } = context;
  const tooMany = await limits.count('guess', request.clientAddress);
  if (tooMany) return tooMany;
  const response = offersPasskeys(context) ? readAnswer(text) : null;
  const answer =
    response &&
    (await authLibrary.ask(request, ['passkey'], (api, headers) =>
      api.verifyPasskeyAuthentication({
        body: { response: response as never },
        headers,
        returnHeaders: true,
      }),
    ));
  if (answer?.kind !== 'answered') {
    logRefused(context, 'passkey', request);
    return { kind: 'wrong' };
  }
  await limits.takeBack('guess', request.clientAddress);
  return enter(context, answer.response.user, answer.setCookies, request);
}

export async function listPasskeys(context: Context, request: RequestContext): Promise<Passkey[]> {
  const answer = await context.authLibrary.ask(request, ['session'], (api, headers) =>
    api.listPasskeys({ headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') return [];
  return answer.response
    .map(({ id, name, createdAt }) => {
      return { id, name: name ?? 'Passkey', createdAt: createdAt.getTime() };
    })
    .toSorted((a, b) => a.createdAt - b.createdAt);
}

/** Begins to add a passkey. Checks the password first, because a passkey gives access for as long as it exists. */
export async function beginPasskey(
  context: Context,
  { password }: { password: string },
  request: RequestContext,
): Promise<Asked | Refused | TooMany> {
  const { authLibrary } = context;
  if (!offersPasskeys(context)) return refuse('password', 'Passkeys need an address by HTTPS.');
  const confirmed = await confirmPassword(context, password, request);
  if (confirmed.kind !== 'confirmed') return confirmed;
  if ((await listPasskeys(context, request)).length >= MOST_PASSKEYS) {
    return refuse('password', `An account has at most ${MOST_PASSKEYS} passkeys. Delete one.`);
  }
  const answer = await authLibrary.ask(request, ['session'], (api, headers) =>
    api.generatePasskeyRegistrationOptions({ headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') return refuse('password', NOT_ADDED);
  const options = JSON.stringify(answer.response);
  return { kind: 'asked', options, setCookies: answer.setCookies };
}

/** Adds a passkey. The challenge from `beginPasskey` shows that the password was checked. */
export async function addPasskey(
  context: Context,
  { name, answer: text }: { name: string; answer: string },
  request: RequestContext,
): Promise<Done | Refused | TooMany> {
  const { authLibrary, activity } = context;
  return inSession(context, request, 'passkey', async ({ user }) => {
    const response = readAnswer(text);
    const shown = name.trim().slice(0, LIMITS.personNameCharacters) || 'Passkey';
    const answer =
      response &&
      (await authLibrary.ask(request, ['session', 'passkey'], (api, headers) =>
        api
          .verifyPasskeyRegistration({
            body: { response, name: shown },
            headers,
            returnHeaders: true,
          })
          .catch(knowUnverified),
      ));
    if (answer?.kind !== 'answered') return refuse('passkey', NOT_ADDED);
    await activity.accountChanged(user.id, { action: 'account.passkey', what: 'passkey, added' });
    return DONE;
  });
}

export async function deletePasskey(
  context: Context,
  id: string,
  request: RequestContext,
): Promise<Done | NotFound> {
  const { authLibrary, activity } = context;
  const session = await whoIs(context, request);
  const own = session === null ? [] : await listPasskeys(context, request);
  if (session === null || !own.some((passkey) => passkey.id === id)) return NOT_FOUND;
  const answer = await authLibrary.ask(request, ['session'], (api, headers) =>
    api.deletePasskey({ body: { id }, headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') return NOT_FOUND;
  const deed = { action: 'account.passkey', what: 'passkey, deleted' } as const;
  await activity.accountChanged(session.user.id, deed);
  return DONE;
}

/** Checks only that the answer is an object with an id; the library checks its parts. */
function readAnswer(text: string): Record<string, unknown> | null {
  if (text.length > LONGEST_ANSWER) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return 'id' in value && typeof value.id === 'string' ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The library reports an unreadable answer as a fault of its own; this makes it a refusal. */
function knowUnverified(error: unknown): never {
  const { body } = error as { body?: { code?: unknown } };
  if (error instanceof Error && body?.code === 'FAILED_TO_VERIFY_REGISTRATION') {
    Object.assign(error, { statusCode: 400 });
  }
  throw error;
}
