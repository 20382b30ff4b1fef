import type { Kysely } from 'kysely';

/** How a session was opened, if not with what Belfry itself asks for (§5.7). */
export async function addProviderSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('opened_by', 'text').execute();
}
