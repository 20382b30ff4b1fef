import { normalizeEmail } from '#domain/team/email-address';
import { isId } from '#domain/base/ids';
import { type Actor, allowed } from './actor.ts';
import type { Context, RequestContext } from './context.ts';
import { checkEmail, gatherErrors } from './fields.ts';
import { writeInvitationMail } from './mails.ts';
import {
  type Done,
  DONE,
  NOT_FOUND,
  type NotFound,
  refuse,
  type Refused,
  type TooMany,
} from './outcomes.ts';
import { markOf } from './registrations.ts';
import { type InvitedRole, isInvitedRole } from './roles.ts';
import { hashToken, isTokenShaped, makeSecret } from './secrets.ts';

/** Single use, a week, revocable (§5.7). */

const CONFIRM_FIRST =
  'Confirm your own email first: your profile sends the link. Or leave this empty and pass the link on.';
const VALID_MS = 7 * 24 * 60 * 60_000;

export const listInvitations = allowed('manage-members', ({ store, clock }, { teamId }) =>
  store.invitations.list(teamId, clock.now()),
);

interface Invited {
  /** Null: anyone with the link. */
  email: string | null;
  role: InvitedRole;
}

export const invite = allowed(
  'manage-members',
  async (
    context,
    actor,
    { email: given, role }: Invited,
    { clientAddress }: Pick<RequestContext, 'clientAddress'>,
  ): Promise<{ kind: 'invited'; link: string; mailed: boolean } | Refused | TooMany> => {
    const { store, clock, limits, activity, config } = context;
    const { teamId, userId } = actor;
    const email = given === null ? null : normalizeEmail(given);
    const refused = await checkInvitation(context, actor, { email, role });
    if (refused) return refused;
    const tooMany =
      (await limits.count('invitation', userId)) ??
      (await limits.count('invitation', clientAddress));
    if (tooMany) return tooMany;
    const token = makeSecret();
    const now = clock.now();
    const made = { teamId, tokenHash: hashToken(token), email, role, invitedBy: userId };
    await store.invitations.create({ ...made, expiresAt: now + VALID_MS }, now);
    const detail = `${email ?? 'whoever has the link'}, as ${role}`;
    await activity.ofTeam(teamId, actor, { action: 'member.invited', detail });
    const link = `${config.baseUrl}/invitations/${token}`;
    const mailed = email !== null && (await mail(context, actor, email, token));
    return { kind: 'invited', link, mailed };
  },
);

export const revokeInvitation = allowed(
  'manage-members',
  async ({ store, activity }, actor, invitationId: string) => {
    const { teamId } = actor;
    const isRevoked = isId(invitationId) && (await store.invitations.revoke(teamId, invitationId));
    const entry = { action: 'member.invitation-revoked' } as const;
    if (isRevoked) await activity.ofTeam(teamId, actor, entry);
    return isRevoked;
  },
);

/** Null: unknown, used, revoked or expired. */
export async function readInvitation({ store, clock }: Context, token: string) {
  if (!isTokenShaped(token)) return null;
  const open = await store.invitations.findOpen(hashToken(token), clock.now());
  if (!open) return null;
  const { teamName, email, role, invitedByName } = open;
  return { teamName, email, role, invitedByName };
}

/** The team becomes the user's current one. */
export async function acceptInvitation(
  context: Context,
  token: string,
  userId: string,
): Promise<Done | NotFound | { kind: 'other-email'; email: string } | { kind: 'already-member' }> {
  if (!isTokenShaped(token)) return NOT_FOUND;
  const { store, clock, activity } = context;
  const accepted = await store.invitations.accept(hashToken(token), userId, clock.now());
  if (accepted.kind !== 'joined') return accepted;
  await activity.ofTeam(accepted.teamId, { userId }, { action: 'member.joined' });
  return DONE;
}

async function checkInvitation(
  context: Context,
  { teamId, userId }: Actor,
  { email, role }: Invited,
): Promise<Refused | null> {
  if (!isInvitedRole(role)) return refuse('role', 'Choose admin, member or viewer.');
  if (email === null) return null;
  const refused = gatherErrors({ email: checkEmail(email) });
  if (refused) return refused;
  const { store, mailer } = context;
  const inviter = await store.users.find(userId);
  // A user whose own address isn't confirmed must not make us mail others.
  if (mailer.sends && !inviter?.isEmailVerified) return refuse('email', CONFIRM_FIRST);
  return (await store.invitations.isMember(teamId, email))
    ? refuse('email', 'This person is in the team already.')
    : null;
}

/** With a mark, which proves that its bearer reads that address's mails. */
async function mail(
  context: Context,
  { userId, teamId }: Actor,
  email: string,
  token: string,
): Promise<boolean> {
  const { store, mailer, limits, config } = context;
  const mark = mailer.sends ? `?mailed=${markOf(context, token, email)}` : '';
  const link = `${config.baseUrl}/invitations/${token}${mark}`;
  if (await limits.count('mailbox', email)) return false;
  const [team, user] = await Promise.all([store.teams.find(teamId), store.users.find(userId)]);
  const facts = { teamName: team?.name ?? '', invitedByName: user?.name ?? '', link };
  const { kind } = await mailer.send(writeInvitationMail(email, facts));
  return kind === 'sent';
}
