import type { Context } from './context.ts';
import { checkEmail, gatherErrors, normalizeEmail } from './fields.ts';
import { writeHasAccountMail, writeSignUpMail } from './mails.ts';
import { type Done, DONE, type Refused, type TooMany } from './outcomes.ts';
import type { RequestContext } from './request-context.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

export const SIGN_UP = 'sign-up';
const VALID_MS = 60 * 60_000;

/**
 * Open sign-up where mails can be sent. The address gets a link, and the account is made only by that link. So nobody
 * can make an account in another person's name, or make us mail them anything else.
 */

/** True where the address is confirmed before the account is made. */
export function confirmsFirst(context: Context): boolean {
  return context.mailer.sends;
}

/** Mails the link. The answer and its timing are the same whether or not the address has an account. */
export async function requestSignUp(
  context: Context,
  input: { email: string },
  request: RequestContext,
): Promise<Done | Refused | TooMany | { kind: 'closed' }> {
  const { config, limits, background } = context;
  if (config.signUp !== 'open' || !config.passwordSignIn) return { kind: 'closed' };
  const refused = gatherErrors({ email: checkEmail(input.email) });
  if (refused) return refused;
  const tooMany = await limits.count('mail', request.clientAddress);
  if (tooMany) return tooMany;
  const email = normalizeEmail(input.email);
  background.run('accounts.sign-up-not-mailed', () => mail(context, email, request.clientAddress));
  return DONE;
}

/** The address that the link proves; null where the link was used or has expired. */
export async function readSignUp(context: Context, token: string): Promise<string | null> {
  if (!isTokenShaped(token)) return null;
  const { store, clock } = context;
  return store.oneTimeTokens.read(SIGN_UP, hashToken(token), clock.now());
}

async function mail(context: Context, email: string, clientAddress: string): Promise<void> {
  const { store, clock, limits, mailer, config } = context;
  if (await limits.count('mail-to', clientAddress, email)) return;
  if (await limits.count('mailbox', email)) return;
  const holder = await store.users.findByEmail(email);
  if (holder) {
    await mailer.send(writeHasAccountMail(email, `${config.baseUrl}/login`));
    return;
  }
  const token = makeSecret();
  const now = clock.now();
  const oneTimeToken = { purpose: SIGN_UP, hash: hashToken(token), whom: email };
  await store.oneTimeTokens.add(oneTimeToken, { expiresAt: now + VALID_MS, now });
  await mailer.send(writeSignUpMail(email, `${config.baseUrl}/register/${token}`));
}
