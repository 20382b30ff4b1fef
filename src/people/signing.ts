import { UNREADABLE_TEXTS } from '#domain/judging/judge';
import { endOfSecret } from '#domain/http/signature';
import { type Actor, authorize } from './actor.ts';
import type { Context } from './context.ts';
import { generateSigningSecret as generateAs } from './operator.ts';
import { makeSecret } from './secrets.ts';

/** §5.6; for admins (§5.8). */

interface ShownSecret {
  createdAt: number;
  masked: string;
}

type Which = 'present' | 'next';

export async function readSigningSecrets(
  context: Context,
  actor: Actor,
): Promise<Record<Which, ShownSecret | null>> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const read = async (which: Which): Promise<ShownSecret | null> => {
    const createdAt = await context.store.teams.readSigningSecretSetAt(teamId, which);
    return createdAt === null
      ? null
      : { createdAt, masked: mask(await open(context, teamId, which)) };
  };
  return { present: await read('present'), next: await read('next') };
}

export async function revealSigningSecret(
  context: Context,
  actor: Actor,
  which: Which = 'present',
): Promise<string | null> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  const action = which === 'present' ? 'signing.shown' : 'signing.next-shown';
  await context.activity.ofTeam(teamId, actor, { action });
  return open(context, teamId, which);
}

export async function generateSigningSecret(context: Context, actor: Actor): Promise<string> {
  const { teamId } = await authorize(context, actor, 'signing-secret');
  return generateAs(context, teamId, actor);
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
async function open(
  { store: { teams } }: Context,
  teamId: string,
  which: Which,
): Promise<string | null> {
  try {
    return (await teams.readSigningSecret(teamId, which))?.secret ?? null;
  } catch (error) {
    if ((error as { code?: string }).code !== 'STORE_WRONG_KEY') throw error;
    return null;
  }
}

function mask(secret: string | null): string {
  return secret === null ? UNREADABLE_TEXTS.secret : `whsec_••••${endOfSecret(secret)}`;
}
