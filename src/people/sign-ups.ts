import { normalizeEmail } from '#domain/team/email-address';
import type { Context, RequestContext } from './context.ts';
import { checkEmail, gatherErrors } from './fields.ts';
import { makeLink, readSecret } from './links.ts';
import { writeHasAccountMail, writeSignUpMail } from './mails.ts';
import { type Done, DONE, type Refused, type TooMany } from './outcomes.ts';

/**
 * Open sign-up with SMTP: only a mailed link makes the account. So no one can make an account in another person's
 * name, or make us mail them anything else.
 */

export function confirmsFirst({ mailer }: Context): boolean {
  return mailer.sends;
}

/** Response and timing are the same whether or not there is an account. */
export async function requestSignUp(
  context: Context,
  input: { email: string },
  { clientAddress }: RequestContext,
): Promise<Done | Refused | TooMany | { kind: 'closed' }> {
  const { config, limits, background } = context;
  if (config.signUp !== 'open' || !config.passwordSignIn) return { kind: 'closed' };
  const refused = gatherErrors({ email: checkEmail(input.email) });
  if (refused) return refused;
  const tooMany = await limits.count('mail', clientAddress);
  if (tooMany) return tooMany;
  const email = normalizeEmail(input.email);
  background.run('accounts.sign-up-not-mailed', () => mail(context, email, clientAddress));
  return DONE;
}

export async function readSignUp(context: Context, token: string): Promise<string | null> {
  return (await readSecret(context, 'sign-up', token))?.whom ?? null;
}

async function mail(context: Context, email: string, asker: string): Promise<void> {
  const { store, limits, mailer, config } = context;
  if (await limits.count('mail-to', asker, email)) return;
  if (await limits.count('mailbox', email)) return;
  if (await store.users.findByEmail(email)) {
    await mailer.send(writeHasAccountMail(email, `${config.baseUrl}/login`));
    return;
  }
  const link = await makeLink(context, { purpose: 'sign-up', whom: email });
  await mailer.send(writeSignUpMail(email, link));
}
