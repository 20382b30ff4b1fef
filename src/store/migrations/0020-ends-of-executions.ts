import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Executions of a cron by their ends, as `ended_jobs_of_queue` has the attempts of a queue: so one list shows both, in
 * the order in which they ended (lists/run-list.ts).
 */
export async function indexEndsOfExecutions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // On Postgres apart from migrations, so that writes go on meanwhile (postgres-indexes.ts).
  if (t.buildsIndexesApart) return;
  await db.schema
    .createIndex('ended_executions_ends')
    .on('ended_executions')
    .columns(['cron_id', 'status', 'completed_at', 'id'])
    .execute();
}
