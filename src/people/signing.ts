import { UNREADABLE_TEXTS } from '#domain/judging/judge';
import { endOfSecret } from '#domain/http/signature';
import { type Actor, authorize } from './actor.ts';
import type { Context } from './context.ts';
import { makeSecret } from './secrets.ts';

/** §5.6; for admins (§5.8). */

interface ShownSecret {
  createdAt: number;
  masked: string;
}

export async function readSigningSecret(
  context: Context,
  actor: Actor,
): Promise<ShownSecret | null> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const { teams } = context.store;
  const setAt = await teams.readSigningSecretSetAt(teamId);
  if (setAt === null) return null;
  return { createdAt: setAt, masked: mask(await open(context, teamId)) };
}

export async function readNextSecret(context: Context, actor: Actor): Promise<ShownSecret | null> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const setAt = await context.store.nextSecrets.findSetAt(teamId);
  if (setAt === null) return null;
  return { createdAt: setAt, masked: mask(await openNext(context, teamId)) };
}

export async function revealSigningSecret(context: Context, actor: Actor): Promise<string | null> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  await context.activity.ofTeam(teamId, actor, { action: 'signing.shown' });
  return open(context, teamId);
}

export async function revealNextSecret(context: Context, actor: Actor): Promise<string | null> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  await context.activity.ofTeam(teamId, actor, { action: 'signing.next-shown' });
  return openNext(context, teamId);
}

export async function generateSigningSecret(context: Context, actor: Actor): Promise<string> {
  const { store, clock, activity } = context;
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const secret = makeSecret('whsec_');
  await store.teams.setSigningSecret(teamId, secret, clock.now());
  await activity.ofTeam(teamId, actor, { action: 'signing.generated' });
  return secret;
}

/** Receivers can get it before it signs. Null if there is one already. */
export async function generateNextSecret(context: Context, actor: Actor): Promise<string | null> {
  const { store, clock, activity } = context;
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const secret = makeSecret('whsec_');
  if (!(await store.nextSecrets.add(teamId, secret, clock.now()))) return null;
  await activity.ofTeam(teamId, actor, { action: 'signing.next-generated' });
  return secret;
}

export async function useNextSecret(context: Context, actor: Actor): Promise<boolean> {
  const { store, clock, activity } = context;
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const isChanged = await store.nextSecrets.putInForce(teamId, clock.now());
  if (isChanged) await activity.ofTeam(teamId, actor, { action: 'signing.next-used' });
  return isChanged;
}

export async function deleteNextSecret(context: Context, actor: Actor): Promise<void> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  await context.store.nextSecrets.drop(teamId);
  await context.activity.ofTeam(teamId, actor, { action: 'signing.next-deleted' });
}

export async function deleteSigningSecret(context: Context, actor: Actor): Promise<void> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  await context.store.teams.removeSigningSecret(teamId);
  await context.activity.ofTeam(teamId, actor, { action: 'signing.deleted' });
}

/** Null if there is none or it can't be decrypted. */
async function open(context: Context, teamId: string): Promise<string | null> {
  const { teams } = context.store;
  return orUnreadable(async () => (await teams.readSigningSecret(teamId))?.secret ?? null);
}

async function openNext(context: Context, teamId: string): Promise<string | null> {
  return orUnreadable(() => context.store.nextSecrets.reveal(teamId));
}

function mask(secret: string | null): string {
  return secret === null ? UNREADABLE_TEXTS.secret : `whsec_••••${endOfSecret(secret)}`;
}

async function orUnreadable(open: () => Promise<string | null>): Promise<string | null> {
  try {
    return await open();
  } catch (error) {
    if ((error as { code?: string }).code !== 'STORE_WRONG_KEY') throw error;
    return null;
  }
}
