import { sql } from 'kysely';
import { SIGNING_SECRET_PLACE } from '../runs/claims.ts';
import { change, not, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

const NONE = { sealed_next_signing_secret: null, next_signing_secret_set_at: null } as const;

/** §5.6 */
export const nextSecrets = {
  /** False if there is one: receivers may have it. */
  async add(
    { main, sealer }: Context,
    teamId: string,
    secret: string,
    setAt: number,
  ): Promise<boolean> {
    const key = { id: teamId, sealed_next_signing_secret: null, deleted_at: null };
    const sealed_next_signing_secret = sealer.seal(SIGNING_SECRET_PLACE, secret);
    const values = { sealed_next_signing_secret, next_signing_secret_set_at: setAt };
    return (await change(main, 'teams', key, values)) > 0;
  },

  async drop({ main }: Context, teamId: string): Promise<void> {
    await change(main, 'teams', { id: teamId, deleted_at: null }, NONE);
  },

  async findSetAt(context: Context, teamId: string): Promise<number | null> {
    return (await read(context, teamId))?.next_signing_secret_set_at ?? null;
  },

  /** Throws STORE_WRONG_KEY if it does not open with this APP_KEY. */
  async reveal(context: Context, teamId: string): Promise<string | null> {
    const sealed = (await read(context, teamId))?.sealed_next_signing_secret ?? null;
    return sealed === null ? null : context.sealer.open(SIGNING_SECRET_PLACE, sealed);
  },

  /** False if there is none. */
  async putInForce({ main }: Context, teamId: string, now: number): Promise<boolean> {
    const key = { id: teamId, sealed_next_signing_secret: not(null), deleted_at: null };
    const sealed_signing_secret = sql<string>`sealed_next_signing_secret`;
    const values = { sealed_signing_secret, signing_secret_set_at: now, ...NONE };
    return (await change(main, 'teams', key, values)) > 0;
  },
};

async function read({ main }: Context, teamId: string) {
  return one(main, 'teams', { id: teamId, deleted_at: null }, [
    'sealed_next_signing_secret',
    'next_signing_secret_set_at',
  ]);
}
