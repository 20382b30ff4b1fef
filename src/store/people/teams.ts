import { newId } from '#domain/base/ids';
import { signingSecrets } from './signing-secrets.ts';
import { addDefaultChannel } from '../alerts/notification-rows.ts';
import type { Trx } from '../database/database.ts';
import type { Row } from '../tables/tables.ts';
import { add, all, change, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export interface Team {
  id: string;
  name: string;
  plan: string;
  hasSigningSecret: boolean;
  createdAt: number;
}

export interface TeamSettings {
  /** A JSON path (§2.4) into payloads. */
  shownField: string | null;
  /** Names of fields whose values aren't shown. */
  maskedFields: readonly string[];
}

function teamOf(
  row: Pick<Row<'teams'>, 'id' | 'name' | 'plan' | 'sealed_signing_secret' | 'created_at'>,
): Team {
  const { id, name, plan, sealed_signing_secret, created_at: createdAt } = row;
  return { id, name, plan, hasSigningSecret: sealed_signing_secret !== null, createdAt };
}

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

  async setPlan({ main }: Context, teamId: string, plan: string): Promise<void> {
    await change(main, 'teams', { id: teamId, deleted_at: null }, { plan });
  },

  /** A team that is deleted has the defaults. */
  async readSettings({ main }: Context, teamId: string): Promise<TeamSettings> {
    const columns = ['shown_field', 'masked_fields'] as const;
    const row = await one(main, 'teams', { id: teamId }, columns);
    return {
      shownField: row?.shown_field ?? null,
      // Damaged names fail: nothing may be shown that they would hide.
      maskedFields: JSON.parse(row?.masked_fields ?? '[]') as string[],
    };
  },

  async changeSettings(
    { main }: Context,
    teamId: string,
    { shownField, maskedFields }: Partial<TeamSettings>,
  ): Promise<void> {
    const row = {
      ...(shownField !== undefined && { shown_field: shownField }),
      ...(maskedFields !== undefined && { masked_fields: JSON.stringify(maskedFields) }),
    };
    if (Object.keys(row).length > 0)
      await change(main, 'teams', { id: teamId, deleted_at: null }, row);
  },

  async rename({ main }: Context, teamId: string, name: string): Promise<void> {
    await change(main, 'teams', { id: teamId, deleted_at: null }, { name });
  },

  ...signingSecrets,
};
