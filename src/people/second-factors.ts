import type { AuthLibraryLoader } from './auth-library-loader.ts';
import type { Context } from './context.ts';
import { refuse, type Refused, type TooMany } from './outcomes.ts';
import { inSession, WRONG_PASSWORD } from './reauthentication.ts';
import { cookiesOf, type RequestContext } from './request-context.ts';
import { enter, handOn, logRefused, type SignedIn, signOut } from './sessions.ts';

/** How long the library locks a second factor after ten wrong codes in a row. */
const LOCKED_SECONDS = 15 * 60;

/** The second factor: six digits of an authenticator (TOTP, RFC 6238), or a recovery code that works once. */

/** The second step of signing in: six digits of the authenticator, or one of the recovery codes. */
export async function verifySecondFactor(
  context: Context,
  input: { code: string },
  request: RequestContext,
): Promise<SignedIn | { kind: 'wrong' } | { kind: 'expired' } | TooMany> {
  const { authLibrary, limits } = context;
  const tooMany = await limits.count('guess', request.clientAddress);
  if (tooMany) return tooMany;
  const code = input.code.replaceAll(/\s/g, '');
  const isTotp = /^\d{6}$/.test(code);
  const call = { body: { code }, returnHeaders: true as const };
  // The session cookie is left out: an old session of the browser must not replace the challenge.
  const answer = await authLibrary.ask(request, ['challenge'], (api, headers) =>
    isTotp ? api.verifyTOTP({ ...call, headers }) : api.verifyBackupCode({ ...call, headers }),
  );
  if (answer.kind === 'declined') {
    const refusal = explainDecline(answer.code);
    logRefused(context, `second factor: ${refusal.kind}`, request);
    return refusal;
  }
  const { response, setCookies } = answer;
  if (isTotp && (await limits.count('one-time-code', response.user.id, code))) {
    await signOut(context, { ...request, headers: cookiesOf(setCookies) });
    logRefused(context, 'second factor: used before', request);
    return { kind: 'wrong' };
  }
  await limits.takeBack('guess', request.clientAddress);
  return enter(context, response.user, setCookies, request);
}

/** Begins: the secret is not in force before `confirmSecondFactor`. */
export async function beginSecondFactor(
  context: Context,
  { password }: { password: string },
  request: RequestContext,
): Promise<{ kind: 'begun'; otpauthUri: string; recoveryCodes: string[] } | Refused | TooMany> {
  const answer = await askWithPassword(context, 'second factor, begun', request, (api, headers) =>
    api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (answer.kind !== 'answered') return answer;
  if (answer.response.method !== 'totp') throw new TypeError('no TOTP was begun');
  const { totpURI, backupCodes } = answer.response;
  return { kind: 'begun', otpauthUri: totpURI, recoveryCodes: backupCodes };
}

export async function confirmSecondFactor(
  context: Context,
  input: { code: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany> {
  const { authLibrary, activity, limits } = context;
  const code = input.code.replaceAll(/\s/g, '');
  return inSession(context, request, 'code', async (session) => {
    const answer = await authLibrary.ask(request, ['session'], (api, headers) =>
      api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
    );
    if (answer.kind === 'declined') return refuse('code', 'This code is not right.');
    // Uses the code up, so that nobody who saw it typed can sign in with it.
    await limits.count('one-time-code', session.user.id, code);
    await handOn(context, session, answer.setCookies);
    const deed = { action: 'account.second-factor', what: 'second factor, on' } as const;
    await activity.accountChanged(session.user.id, deed);
    return { kind: 'signed-in', setCookies: answer.setCookies };
  });
}

/** New recovery codes; the old ones stop working. */
export async function renewRecoveryCodes(
  context: Context,
  { password }: { password: string },
  request: RequestContext,
): Promise<{ kind: 'renewed'; recoveryCodes: string[] } | Refused | TooMany> {
  const answer = await askWithPassword(context, 'recovery codes', request, (api, headers) =>
    api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
  );
  if (answer.kind !== 'answered') return answer;
  return { kind: 'renewed', recoveryCodes: answer.response.backupCodes };
}

export async function endSecondFactor(
  context: Context,
  { password }: { password: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany> {
  const answer = await askWithPassword(context, 'second factor, off', request, (api, headers) =>
    api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
  );
  if (answer.kind !== 'answered') return answer;
  return { kind: 'signed-in', setCookies: answer.setCookies };
}

/** @param what  the change in words, for the log */
async function askWithPassword<T>(
  context: Context,
  what: string,
  request: RequestContext,
  call: Parameters<typeof AuthLibraryLoader.prototype.ask<T>>[2],
): Promise<{ kind: 'answered'; response: T; setCookies: string[] } | Refused | TooMany> {
  const { authLibrary, activity } = context;
  return inSession(context, request, 'password', async (session) => {
    const answer = await authLibrary.ask(request, ['session'], call);
    if (answer.kind === 'declined') return refuse(...explainRefusal(answer.code));
    await handOn(context, session, answer.setCookies);
    await activity.accountChanged(session.user.id, { action: 'account.second-factor', what });
    return answer;
  });
}

function explainDecline(code: string): { kind: 'wrong' } | { kind: 'expired' } | TooMany {
  if (code === 'ACCOUNT_TEMPORARILY_LOCKED') {
    return { kind: 'too-many', retryAfterSeconds: LOCKED_SECONDS };
  }
  return code === 'INVALID_CODE' || code === 'INVALID_BACKUP_CODE'
    ? { kind: 'wrong' }
    : { kind: 'expired' };
}

function explainRefusal(code: string): [field: string, message: string] {
  if (code === 'INVALID_PASSWORD') return ['password', WRONG_PASSWORD];
  if (code === 'TOTP_ALREADY_ENABLED') return ['code', 'A second factor is in force already.'];
  if (code === 'TWO_FACTOR_NOT_ENABLED') return ['code', 'There is no second factor in force.'];
  return ['password', 'Sign in again and repeat this.'];
}
