import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * An index of a cron's executions by their ends, like `ended_jobs_of_queue` for the attempts of a queue, so that one
 * list shows both in the order of their ends (lists/run-list.ts).
 */
export async function indexEndsOfExecutions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // On Postgres it is built apart from migrations, so that writes can continue (postgres-indexes.ts).
  if (t.buildsIndexesApart) return;
  await db.schema
    .createIndex('ended_executions_ends')
    .on('ended_executions')
    .columns(['cron_id', 'status', 'completed_at', 'id'])
    .execute();
}
