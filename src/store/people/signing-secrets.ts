import { sql } from '../database/sql.ts';
import { SIGNING_SECRET_PLACE } from '../runs/claims.ts';
import { change, not, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

const COLUMNS = {
  present: { sealed: 'sealed_signing_secret', setAt: 'signing_secret_set_at' },
  next: { sealed: 'sealed_next_signing_secret', setAt: 'next_signing_secret_set_at' },
} as const;

const NO_NEXT = { sealed_next_signing_secret: null, next_signing_secret_set_at: null } as const;

const keyOf = (teamId: string) => ({ id: teamId, deleted_at: null });

type Which = keyof typeof COLUMNS;

async function read({ main }: Context, teamId: string, which: Which) {
  const { sealed, setAt } = COLUMNS[which];
  const row = await one(main, 'teams', keyOf(teamId), [sealed, setAt]);
  return row && row[sealed] !== null ? { sealed: row[sealed], setAt: row[setAt] ?? 0 } : null;
}

export const signingSecrets = {
  /** In force with the next request (§5.6). */
  async setSigningSecret(
    { main, sealer }: Context,
    teamId: string,
    secret: string,
    now: number,
  ): Promise<void> {
    const sealed_signing_secret = sealer.seal(SIGNING_SECRET_PLACE, secret);
    const values = { sealed_signing_secret, signing_secret_set_at: now };
    await change(main, 'teams', keyOf(teamId), values);
  },

  /** Also the next one. */
  async removeSigningSecret({ main }: Context, teamId: string): Promise<void> {
    const none = { sealed_signing_secret: null, signing_secret_set_at: null, ...NO_NEXT };
    await change(main, 'teams', keyOf(teamId), none);
  },

  async readSigningSecretSetAt(
    context: Context,
    teamId: string,
    which: Which,
  ): Promise<number | null> {
    return (await read(context, teamId, which))?.setAt ?? null;
  },

  /** Throws STORE_WRONG_KEY if it doesn't open with this APP_KEY. */
  async readSigningSecret(
    context: Context,
    teamId: string,
    which: Which = 'present',
  ): Promise<{ secret: string; setAt: number } | null> {
    const found = await read(context, teamId, which);
    if (!found) return null;
    const secret = context.sealer.open(SIGNING_SECRET_PLACE, found.sealed);
    return { secret, setAt: found.setAt };
  },
};

/** Added, then activated (§5.6). */
export const nextSecrets = {
  /** False if there is one already, which receivers may have by now. */
  async add(
    { main, sealer }: Context,
    teamId: string,
    secret: string,
    setAt: number,
  ): Promise<boolean> {
    const key = { ...keyOf(teamId), sealed_next_signing_secret: null };
    const sealed_next_signing_secret = sealer.seal(SIGNING_SECRET_PLACE, secret);
    const values = { sealed_next_signing_secret, next_signing_secret_set_at: setAt };
    return (await change(main, 'teams', key, values)) > 0;
  },

  async drop({ main }: Context, teamId: string): Promise<void> {
    await change(main, 'teams', keyOf(teamId), NO_NEXT);
  },

  async putInForce({ main }: Context, teamId: string, now: number): Promise<boolean> {
    const key = { ...keyOf(teamId), sealed_next_signing_secret: not(null) };
    const sealed_signing_secret = sql<string>`sealed_next_signing_secret`;
    const values = { sealed_signing_secret, signing_secret_set_at: now, ...NO_NEXT };
    return (await change(main, 'teams', key, values)) > 0;
  },
};
