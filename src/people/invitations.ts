import { normalizeEmail } from '#domain/team/email-address';
import { isId } from '#domain/base/ids';
import type { Invitation } from '#store/people/invitations';
import { type Actor, authorize } from './actor.ts';
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

interface InvitationOffer {
  teamName: string;
  /** Null: anyone with the link. */
  email: string | null;
  role: InvitedRole;
  invitedByName: string;
}

export async function listInvitations(context: Context, actor: Actor): Promise<Invitation[]> {
  const { teamId } = await authorize(context, actor, 'manage-members');
  return context.store.invitations.list(teamId, context.clock.now());
}

export async function invite(
  context: Context,
  actor: Actor,
  input: { email: string | null; role: InvitedRole },
  request: Pick<RequestContext, 'clientAddress'>,
): Promise<{ kind: 'invited'; link: string; mailed: boolean } | Refused | TooMany> {
  const { store, clock, limits, activity, config } = context;
  const { baseUrl } = config;
  const { teamId, userId } = await authorize(context, actor, 'manage-members');
  const refused = await checkInvitation(context, { teamId, userId }, input);
  if (refused) return refused;
  const tooMany =
    (await limits.count('invitation', userId)) ??
    (await limits.count('invitation', request.clientAddress));
  if (tooMany) return tooMany;
  const email = input.email === null ? null : normalizeEmail(input.email);
  const token = makeSecret();
  const now = clock.now();
  await store.invitations.create(
    {
      teamId,
      tokenHash: hashToken(token),
      email,
      role: input.role,
      invitedBy: userId,
      expiresAt: now + VALID_MS,
    },
    now,
  );
  const detail = `${email ?? 'whoever has the link'}, as ${input.role}`;
  await activity.ofTeam(teamId, actor, { action: 'member.invited', detail });
  const link = `${baseUrl}/invitations/${token}`;
  const mailed = email !== null && (await mail(context, actor, email, token));
  return { kind: 'invited', link, mailed };
}

export async function revokeInvitation(
  context: Context,
  actor: Actor,
  invitationId: string,
): Promise<boolean> {
  const { teamId } = await authorize(context, actor, 'manage-members');
  if (!isId(invitationId)) return false;
  const isRevoked = await context.store.invitations.revoke(teamId, invitationId);
  const entry = { action: 'member.invitation-revoked' } as const;
  if (isRevoked) await context.activity.ofTeam(teamId, actor, entry);
  return isRevoked;
}

/** Null: unknown, used, revoked or expired. */
export async function readInvitation(
  context: Context,
  token: string,
): Promise<InvitationOffer | null> {
  if (!isTokenShaped(token)) return null;
  const { store, clock } = context;
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
  { teamId, userId }: { teamId: string; userId: string },
  { email, role }: { email: string | null; role: string },
): Promise<Refused | null> {
  if (!isInvitedRole(role)) return refuse('role', 'Choose admin, member or viewer.');
  if (email === null) return null;
  const refused = gatherErrors({ email: checkEmail(email) });
  if (refused) return refused;
  const { store, mailer } = context;
  const inviter = await store.users.find(userId);
  // A user whose own address isn't confirmed must not make us mail others.
  if (mailer.sends && !inviter?.isEmailVerified) return refuse('email', CONFIRM_FIRST);
  return (await store.invitations.isMember(teamId, normalizeEmail(email)))
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
  const { baseUrl } = config;
  const mark = mailer.sends ? `?mailed=${markOf(context, token, email)}` : '';
  const link = `${baseUrl}/invitations/${token}${mark}`;
  if (await limits.count('mailbox', email)) return false;
  const [team, user] = await Promise.all([store.teams.find(teamId), store.users.find(userId)]);
  const facts = { teamName: team?.name ?? '', invitedByName: user?.name ?? '', link };
  const { kind } = await mailer.send(writeInvitationMail(email, facts));
  return kind === 'sent';
}
