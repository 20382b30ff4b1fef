import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** How a session was opened, where that was not with a password, and the groups that it was opened with (§5.7). */
export async function addProviderSessions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('opened_by', 'text').execute();
  await db.schema.alterTable('sessions').addColumn('groups_digest', 'text').execute();
  await db.schema.alterTable('sessions').addColumn('groups_at', t.instant).execute();
}
