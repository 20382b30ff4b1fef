import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** An index of successful executions, which may be deleted before failed ones (§3.9). */
export async function createOldSuccesses(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // On Postgres it is built apart from migrations (postgres-indexes.ts).
  if (t.buildsIndexesApart) return;
  await db.schema
    .createIndex('ended_executions_successes')
    .on('ended_executions')
    .column('completed_at')
    .where(sql.ref('status'), '=', sql.lit('success'))
    .execute();
}
