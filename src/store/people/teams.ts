import { newId } from '#domain/ids';
import { SIGNING_SECRET_PLACE } from '../runs/claims.ts';
import { addDefaultChannel } from '../alerts/notice-rows.ts';
import type { Trx } from '../database/database.ts';
import type { Row } from '../tables/tables.ts';
import { add, all, change, not, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export interface Team {
  id: string;
  name: string;
  plan: string;
  hasSigningSecret: boolean;
  createdAt: number;
}

function teamOf(
  row: Pick<Row<'teams'>, 'id' | 'name' | 'plan' | 'sealed_signing_secret' | 'created_at'>,
): Team {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    hasSigningSecret: row.sealed_signing_secret !== null,
    createdAt: row.created_at,
  };
}

/** Adds no members. */
export async function insertTeam(
  trx: Trx,
  { name, plan }: { name: string; plan: string },
  now: number,
): Promise<Team> {
  const row = { id: newId(now), name, plan, created_at: now };
  await add(trx, 'teams', row);
  await addDefaultChannel(trx, row.id, now);
  return teamOf({ ...row, sealed_signing_secret: null });
}

export const teams = {
  async create({ main }: Context, name: string, plan: string, now: number): Promise<Team> {
    return main.transact((trx) => insertTeam(trx, { name, plan }, now));
  },

  async find({ main }: Context, teamId: string): Promise<Team | null> {
    const row = await one(main, 'teams', { id: teamId, deleted_at: null });
    return row ? teamOf(row) : null;
  },

  async listByName({ main }: Context, name: string): Promise<Team[]> {
    const rows = await all(main, 'teams', { name, deleted_at: null }, { order: ['id'] });
    return rows.map(teamOf);
  },

  async list({ main }: Context): Promise<Team[]> {
    const rows = await all(main, 'teams', { deleted_at: null }, { order: ['id'] });
    return rows.map(teamOf);
  },

  async setPlan(context: Context, teamId: string, plan: string): Promise<void> {
    await changeTeam(context, teamId, { plan });
  },

  async rename(context: Context, teamId: string, name: string): Promise<void> {
    await changeTeam(context, teamId, { name });
  },

  /** In force with the next request (§5.6). */
  async setSigningSecret(
    context: Context,
    teamId: string,
    secret: string,
    now: number,
  ): Promise<void> {
    await changeTeam(context, teamId, {
      sealed_signing_secret: context.sealer.seal(SIGNING_SECRET_PLACE, secret),
      signing_secret_set_at: now,
    });
  },

  /** Also the next one. Requests are no longer signed. */
  async removeSigningSecret(context: Context, teamId: string): Promise<void> {
    await changeTeam(context, teamId, {
      sealed_signing_secret: null,
      signing_secret_set_at: null,
      sealed_next_signing_secret: null,
      next_signing_secret_set_at: null,
    });
  },

  async readSigningSecretSetAt({ main }: Context, teamId: string): Promise<number | null> {
    const key = { id: teamId, sealed_signing_secret: not(null), deleted_at: null };
    const row = await one(main, 'teams', key, ['signing_secret_set_at']);
    return row ? (row.signing_secret_set_at ?? 0) : null;
  },

  /** Throws STORE_WRONG_KEY if it does not open with this APP_KEY. */
  async readSigningSecret(
    { main, sealer }: Context,
    teamId: string,
  ): Promise<{ secret: string; setAt: number } | null> {
    const row = await one(main, 'teams', { id: teamId, deleted_at: null }, [
      'sealed_signing_secret',
      'signing_secret_set_at',
    ]);
    if (!row || row.sealed_signing_secret === null) return null;
    return {
      secret: sealer.open(SIGNING_SECRET_PLACE, row.sealed_signing_secret),
      setAt: row.signing_secret_set_at ?? 0,
    };
  },
};

async function changeTeam(
  { main }: Context,
  teamId: string,
  columns: Partial<Row<'teams'>>,
): Promise<void> {
  await change(main, 'teams', { id: teamId, deleted_at: null }, columns);
}
