import type { Kysely } from 'kysely';

/** Which memberships come from a group of the provider or proxy (§5.7). */
export async function addGroupMemberships(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('memberships').addColumn('group_name', 'text').execute();
}
