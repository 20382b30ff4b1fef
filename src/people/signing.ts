import { UNREADABLE_TEXTS } from '#domain/judging/judge';
import { endOfSecret } from '#domain/http/signature';
import { allowed } from './actor.ts';
import type { Context } from './context.ts';
import { generateSigningSecret as generateAs } from './operator.ts';
import { makeSecret } from './secrets.ts';

/** §5.6; for admins (§5.8). */

type Which = 'present' | 'next';

export const readSigningSecrets = allowed('signing-secret', async (context, { teamId }) => {
  const read = async (which: Which) => {
    const createdAt = await context.store.teams.readSigningSecretSetAt(teamId, which);
    if (createdAt === null) return null;
    return { createdAt, masked: mask(await open(context, teamId, which)) };
  };
  return { present: await read('present'), next: await read('next') };
});

export const revealSigningSecret = allowed(
  'signing-secret',
  async (context, actor, which: Which = 'present') => {
    const action = which === 'present' ? 'signing.shown' : 'signing.next-shown';
    await context.activity.ofTeam(actor.teamId, actor, { action });
    return open(context, actor.teamId, which);
  },
);

export const generateSigningSecret = allowed('signing-secret', (context, actor) =>
  generateAs(context, actor.teamId, actor),
);

/** Receivers can get it before it signs. Null if there is one already. */
export const generateNextSecret = allowed('signing-secret', async (context, actor) => {
  const { store, clock, activity } = context;
  const secret = makeSecret('whsec_');
  if (!(await store.nextSecrets.add(actor.teamId, secret, clock.now()))) return null;
  await activity.ofTeam(actor.teamId, actor, { action: 'signing.next-generated' });
  return secret;
});

export const useNextSecret = allowed('signing-secret', async (context, actor) => {
  const { store, clock, activity } = context;
  const isChanged = await store.nextSecrets.putInForce(actor.teamId, clock.now());
  if (isChanged) await activity.ofTeam(actor.teamId, actor, { action: 'signing.next-used' });
  return isChanged;
});

export const deleteNextSecret = allowed('signing-secret', async ({ store, activity }, actor) => {
  await store.nextSecrets.drop(actor.teamId);
  await activity.ofTeam(actor.teamId, actor, { action: 'signing.next-deleted' });
});

export const deleteSigningSecret = allowed('signing-secret', async ({ store, activity }, actor) => {
  await store.teams.removeSigningSecret(actor.teamId);
  await activity.ofTeam(actor.teamId, actor, { action: 'signing.deleted' });
});

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
