import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Since when everything of a team is paused, and by whom, by the name of then (§3.11); null: it is not. */
export async function addTeamPauses(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('teams').addColumn('paused_at', t.instant).execute();
  await db.schema.alterTable('teams').addColumn('paused_by', 'text').execute();
}
