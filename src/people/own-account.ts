import type { ActivityAction } from '#domain/team/activity';
import { normalizeEmail } from '#domain/team/email-address';
import type { User } from '#store/people/users';
import type { Context, RequestContext } from './context.ts';
import { checkEmail, checkName, checkPassword, gatherErrors, normalizeName } from './fields.ts';
import { keyOf, makeLink, takeSecret } from './links.ts';
import { writeEmailChangeAskedMail, writeEmailChangedMail, writeEmailChangeMail } from './mails.ts';
import { type Done, DONE, refuse, type Refused, type TooMany } from './outcomes.ts';
import { confirmed, PASSWORDS_OFF, SIGNED_OUT, withPassword } from './reauthentication.ts';
import { mailConfirmation } from './registrations.ts';
import { rotationOf, type SignedIn, signOut } from './sessions.ts';

const ONLY_WAY_IN = 'This is your only way in. Set a password first.';
const EMAIL_TAKEN = 'There is an account with this email.';

export async function changeName(
  context: Context,
  userId: string,
  name: string,
): Promise<Done | Refused> {
  const refused = gatherErrors({ name: checkName(name, 'your name') });
  if (refused) return refused;
  const { store, clock } = context;
  await store.users.changeName(userId, normalizeName(name), clock.now());
  return DONE;
}

/** With SMTP the mailed link makes the change, without it at once. */
export async function changeEmail(
  context: Context,
  input: { email: string; password: string },
  request: RequestContext,
): Promise<Done | { kind: 'mailed' } | Refused | TooMany> {
  const refused = gatherErrors({ email: checkEmail(input.email) });
  if (refused) return refused;
  return setEmail(context, input, request);
}

const setEmail = confirmed(async (context, user, given: { email: string; password: string }) => {
  const { store, clock, mailer, background } = context;
  const email = normalizeEmail(given.email);
  if (mailer.sends) {
    background.run('accounts.email-change-not-mailed', () => mailChange(context, user, email));
    return { kind: 'mailed' } as const;
  }
  const change = { email, isVerified: false };
  if (!(await store.users.changeEmail(user.id, change, clock.now())))
    return refuse('email', EMAIL_TAKEN);
  await record(context, user.id, 'account.email', 'email');
  return DONE;
});

/** `/confirm-email/:token` */
export async function confirmEmail(
  context: Context,
  token: string,
): Promise<Done | { kind: 'expired' }> {
  const { store, clock, background, mailer } = context;
  const taken = await takeSecret(context, 'change-email', token);
  const user = taken && (await store.users.find(taken.whom));
  if (!user) return { kind: 'expired' };
  const { detail: email } = taken;
  const change = { email, isVerified: true };
  if (!(await store.users.changeEmail(user.id, change, clock.now()))) return { kind: 'expired' };
  await record(context, user.id, 'account.email', 'email');
  if (user.email === email) return DONE;
  background.run('accounts.email-change-not-mailed', async () => {
    await mailer.send(writeEmailChangedMail(user.email, email));
  });
  return DONE;
}

export async function requestEmailConfirmation(
  context: Context,
  userId: string,
): Promise<Done | TooMany> {
  const { store, limits, background } = context;
  const tooMany = await limits.count('mail', userId);
  if (tooMany) return tooMany;
  const user = await store.users.find(userId);
  if (!user || user.isEmailVerified) return DONE;
  background.run('accounts.email-not-confirmed', () => mailConfirmation(context, user));
  return DONE;
}

/** `/stop-email-change/:token`; needs no session. Expired: used, too old, or the change has been made. */
export async function stopEmailChange(
  { store, clock }: Context,
  token: string,
): Promise<Done | { kind: 'expired' }> {
  const key = keyOf('stop-email-change', token);
  const isStopped = key && (await store.oneTimeTokens.stop(key, 'change-email', clock.now()));
  return isStopped ? DONE : { kind: 'expired' };
}

/** Only this result contains the new token. */
export const generateApiToken = confirmed(async (context, { id }) => {
  const token = await context.tokens.generateApiToken(id);
  await record(context, id, 'account.token', 'API token');
  return { kind: 'generated', token } as const;
});

/** Ends other sessions and open one-time tokens. */
export async function changePassword(
  context: Context,
  input: { currentPassword: string; password: string },
  request: RequestContext,
): Promise<SignedIn | Refused | TooMany> {
  const refused = gatherErrors({ password: checkPassword(input.password) });
  if (refused) return refused;
  if (!context.config.passwordSignIn) return refuse('currentPassword', PASSWORDS_OFF);
  return replacePassword(context, input, request);
}

const replacePassword = withPassword(
  'currentPassword',
  async (
    context,
    session,
    { password }: { currentPassword: string; password: string },
    from,
  ): Promise<SignedIn | Refused> => {
    const { store, clock, passwords } = context;
    const to = await passwords.hash(password);
    const next = rotationOf(context, session);
    const { id } = session.user;
    const isChanged =
      next !== null &&
      (await store.sessions.changePassword(id, { from, to }, next.rotation, clock.now()));
    if (!isChanged) return refuse('currentPassword', SIGNED_OUT);
    await record(context, id, 'account.password', 'password');
    return { kind: 'signed-in', setCookies: next.setCookies };
  },
);

export async function joinedProvider(context: Context, userId: string): Promise<string | null> {
  const { store, config } = context;
  if (config.provider === null) return null;
  const isJoined = await store.providerLinks.isJoined(userId, config.provider.issuer);
  return isJoined ? config.provider.name : null;
}

/** Needs a password: without one the user couldn't sign in any more. */
export const leaveProvider = confirmed(async (context, { id }) => {
  const { store, config } = context;
  const hasPassword = (await store.users.readPasswordHash(id)) !== null;
  if (!config.passwordSignIn || !hasPassword) return refuse('password', ONLY_WAY_IN);
  await store.providerLinks.removeAll(id);
  await record(context, id, 'account.provider-ended', 'sign-in by a provider');
  return DONE;
});

/** Refused while the user owns a team with other members. */
export const deleteAccount = confirmed(async (context, { id }, _given, request) => {
  const { store, clock } = context;
  const teams = await store.users.delete(id, clock.now());
  if (teams.length > 0) return { kind: 'owns-teams', teams } as const;
  const { setCookies } = await signOut(context, request);
  return { kind: 'deleted', setCookies } as const;
});

/**
 * If the new address has an account, it gets no mail and the response is the same. The old address always gets one, so
 * a thief can't take the account unnoticed.
 */
async function mailChange(context: Context, user: User, email: string): Promise<void> {
  const { store, limits, mailer } = context;
  if (user.email === email) return;
  const ofUser = { whom: user.id, replaces: true } as const;
  const confirmLink = await makeLink(context, {
    ...ofUser,
    purpose: 'change-email',
    detail: email,
  });
  const stopLink = await makeLink(context, { ...ofUser, purpose: 'stop-email-change' });
  await mailer.send(writeEmailChangeAskedMail(user.email, email, stopLink));
  const holder = await store.users.findByEmail(email);
  if (holder || (await limits.count('mailbox', email))) return;
  await mailer.send(writeEmailChangeMail(email, confirmLink));
}

function record(
  context: Context,
  userId: string,
  action: ActivityAction,
  what: string,
): Promise<void> {
  return context.activity.accountChanged(userId, { action, what });
}
