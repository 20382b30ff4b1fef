import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Executions that succeeded, which may be deleted before those that failed (§3.9). */
export async function createOldSuccesses(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // On Postgres apart from migrations (postgres-indexes.ts).
  if (t.buildsIndexesApart) return;
  await db.schema
    .createIndex('ended_executions_successes')
    .on('ended_executions')
    .column('completed_at')
    .where(sql.ref('status'), '=', sql.lit('success'))
    .execute();
}
