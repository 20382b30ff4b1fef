import { hashRecoveryCode, makeRecoveryCodes } from './codes.ts';
import type { Context, RequestContext } from './context.ts';
import { deleteCookie, readCookie } from './cookies.ts';
import { keyOf, readSecret } from './links.ts';
import { refuse, type Refused, type TooMany } from './outcomes.ts';
import { guess } from './password-guesses.ts';
import { inSession, SIGNED_OUT, withPassword } from './reauthentication.ts';
import { CHALLENGE_COOKIE, logRefused, open, rotationOf, type SignedIn } from './sessions.ts';
import { makeTotpSecret, matchTotp, totpUri } from './totp.ts';

/** A code of an authenticator (TOTP, RFC 6238), or a recovery code that works once. */

const NONE_IN_FORCE = 'There is no second factor in force.';

export async function verifySecondFactor(
  context: Context,
  { code }: { code: string },
  request: RequestContext,
): Promise<SignedIn | { kind: 'wrong' } | { kind: 'expired' } | TooMany> {
  const outcome = await guess(context, [['guess', request.clientAddress]], () =>
    checkCode(context, code.replaceAll(/\s/g, ''), request),
  );
  if (outcome.kind !== 'signed-in') logRefused(context, `second factor: ${outcome.kind}`, request);
  return outcome;
}

async function checkCode(
  context: Context,
  code: string,
  request: RequestContext,
): Promise<SignedIn | { kind: 'wrong' } | { kind: 'expired' } | TooMany> {
  const { store } = context;
  const secret = readCookie(context, request.headers, CHALLENGE_COOKIE);
  const challenge = keyOf('second-factor', secret);
  const userId = (await readSecret(context, 'second-factor', secret))?.whom;
  const user = userId === undefined ? null : await store.users.find(userId);
  if (!challenge || !user) return { kind: 'expired' };
  // After the right password, so attackers can't use up this limit.
  return guess(context, [['second-factor', user.id]], async () => {
    if (!(await useCode(context, user.id, code))) return { kind: 'wrong' };
    const opened = await open(context, user, request, { challenge });
    if (!opened) return { kind: 'expired' };
    const setCookies = [...opened.setCookies, deleteCookie(context, CHALLENGE_COOKIE)];
    return { kind: 'signed-in', setCookies };
  });
}

/** False: wrong or used before. */
async function useCode(
  { store, clock, config }: Context,
  userId: string,
  code: string,
): Promise<boolean> {
  const { secondFactors } = store;
  if (!/^\d{6}$/.test(code)) {
    return secondFactors.useRecoveryCode(userId, hashRecoveryCode(config.appKey, userId, code));
  }
  const factor = await secondFactors.find(userId);
  const step = factor?.isConfirmed ? matchTotp(factor.secret, code, clock.now()) : null;
  return step !== null && secondFactors.useStep(userId, step);
}

/** Not in force before `confirmSecondFactor`. */
export const beginSecondFactor = withPassword('password', async (context, { user, isByProxy }) => {
  if (isByProxy) return refuse('password', SIGNED_OUT);
  const secret = makeTotpSecret();
  const codes = makeRecoveryCodes();
  const recoveryCodes = hashAll(context, user.id, codes);
  if (!(await context.store.secondFactors.begin(user.id, { secret, recoveryCodes })))
    return refuse('code', 'A second factor is in force already.');
  await record(context, user.id, 'second factor, begun');
  const otpauthUri = totpUri(secret, user.email);
  return { kind: 'begun', otpauthUri, recoveryCodes: codes } as const;
});

export const confirmSecondFactor = inSession(
  'code',
  async (context, session, given: { code: string }): Promise<SignedIn | Refused> => {
    const { store, clock } = context;
    const { user } = session;
    const code = given.code.replaceAll(/\s/g, '');
    const begun = await store.secondFactors.find(user.id);
    const now = clock.now();
    const step = begun && !begun.isConfirmed ? matchTotp(begun.secret, code, now) : null;
    if (step === null) return refuse('code', 'This code is not right.');
    const next = rotationOf(context, session);
    // So that no one can sign in with a code that they saw.
    if (!next || !(await store.secondFactors.confirm(user.id, step, next.rotation, now)))
      return refuse('code', SIGNED_OUT);
    await record(context, user.id, 'second factor, on');
    return { kind: 'signed-in', setCookies: next.setCookies };
  },
);

/** The old ones stop working. */
export const renewRecoveryCodes = withPassword('password', async (context, { user, isByProxy }) => {
  if (isByProxy) return refuse('password', SIGNED_OUT);
  const codes = makeRecoveryCodes();
  const hashes = hashAll(context, user.id, codes);
  if (!(await context.store.secondFactors.setRecoveryCodes(user.id, hashes)))
    return refuse('code', NONE_IN_FORCE);
  await record(context, user.id, 'recovery codes');
  return { kind: 'renewed', recoveryCodes: codes } as const;
});

export const endSecondFactor = withPassword(
  'password',
  async (context, session): Promise<SignedIn | Refused> => {
    const { user } = session;
    const { store, clock } = context;
    if (!user.hasSecondFactor) return refuse('code', NONE_IN_FORCE);
    const next = rotationOf(context, session);
    if (!next || !(await store.secondFactors.end(user.id, next.rotation, clock.now())))
      return refuse('password', SIGNED_OUT);
    await record(context, user.id, 'second factor, off');
    return { kind: 'signed-in', setCookies: next.setCookies };
  },
);

function hashAll({ config }: Context, userId: string, codes: readonly string[]): string[] {
  return codes.map((code) => hashRecoveryCode(config.appKey, userId, code));
}

/** @param what the change in words */
function record({ activity }: Context, userId: string, what: string): Promise<void> {
  return activity.accountChanged(userId, { action: 'account.second-factor', what });
}
