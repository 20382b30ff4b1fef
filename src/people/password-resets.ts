import { normalizeEmail } from '#domain/team/email-address';
import type { Context, RequestContext } from './context.ts';
import { recognizeDevice, rememberDevice } from './devices.ts';
import { checkPassword, gatherErrors } from './fields.ts';
import { keyOf, makeLink, readSecret } from './links.ts';
import { writeResetMail } from './mails.ts';
import { type Done, DONE, type Refused, type TooMany } from './outcomes.ts';
import { orBusy } from './passwords.ts';

export function takesPasswords(context: Context): boolean {
  return context.config.passwordSignIn;
}

/** Response and timing are the same for unknown emails: the rest happens afterwards. */
export async function requestPasswordReset(
  context: Context,
  { email }: { email: string },
  request: RequestContext,
): Promise<Done | TooMany> {
  const { limits, background } = context;
  const { clientAddress, headers } = request;
  const device = recognizeDevice(context, headers, email);
  const tooMany = await (device === null
    ? limits.count('mail', clientAddress)
    : limits.count('device-reset', device));
  if (tooMany) return tooMany;
  if (!takesPasswords(context)) return DONE;
  const asker = device === null ? clientAddress : null;
  background.run('accounts.reset-not-mailed', () => mail(context, normalizeEmail(email), asker));
  return DONE;
}

export async function isResetTokenValid(context: Context, token: string): Promise<boolean> {
  return takesPasswords(context) && (await readSecret(context, 'reset-password', token)) !== null;
}

/**
 * Also ends open one-time tokens. The next sign-in makes the browser known, so attackers who guess can't lock the
 * person out.
 */
export async function resetPassword(
  context: Context,
  { token, password, revokesToken }: { token: string; password: string; revokesToken: boolean },
  request: RequestContext,
): Promise<{ kind: 'done'; setCookies: string[] } | { kind: 'expired' } | Refused | TooMany> {
  const { store, clock, activity, limits, passwords } = context;
  const tooMany = await limits.count('account', request.clientAddress);
  if (tooMany) return tooMany;
  const key = keyOf('reset-password', token);
  if (!key || !(await isResetTokenValid(context, token))) return { kind: 'expired' };
  const refused = gatherErrors({ password: checkPassword(password) });
  if (refused) return refused;
  return orBusy(async () => {
    const passwordHash = await passwords.hash(password);
    const set = { passwordHash, revokesToken };
    const userId = await store.oneTimeTokens.resetPassword(key, set, clock.now());
    const user = userId === null ? null : await store.users.find(userId);
    if (!user) return { kind: 'expired' };
    const entry = { action: 'account.password', what: 'password, by a link' } as const;
    await activity.accountChanged(user.id, entry);
    return { kind: 'done', setCookies: [rememberDevice(context, request.headers, user.email)] };
  });
}

/**
 * Earlier links stay valid, so a request by someone else doesn't invalidate the user's link. The first one
 * used ends them all.
 * @param asker the client's address; null for a known browser, which has its own count
 */
async function mail(context: Context, email: string, asker: string | null): Promise<void> {
  const { store, limits, mailer } = context;
  const user = await store.users.findByEmail(email);
  if (!user) return;
  if (asker !== null) {
    if (await limits.count('mail-to', asker, email)) return;
    if (await limits.count('reset-mailbox', email)) return;
  }
  const link = await makeLink(context, { purpose: 'reset-password', whom: user.id });
  await mailer.send(writeResetMail(user.email, link));
}
