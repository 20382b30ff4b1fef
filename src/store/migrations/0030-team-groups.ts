import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The groups of the provider or proxy whose people a team lets in, and which memberships came from one (§5.7). */
export async function createTeamGroups(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('team_groups')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('admin', 'member', 'viewer')`))
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('team_groups_pk', ['team_id', 'name'])
    .execute();
  await db.schema.createIndex('team_groups_by_name').on('team_groups').column('name').execute();
  await db.schema.alterTable('memberships').addColumn('group_name', 'text').execute();
}
