import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Queues that ask for reminders and of which a failed job was raised (§6.5): since when, when the next reminder is due,
 * and after how many hours each comes. Apart from the queues, whose rows every claim reads.
 */
export async function createFailingQueues(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('failing_queues')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('queue_id', t.id, (c) => c.notNull())
    .addColumn('failing_since', t.instant, (c) => c.notNull())
    .addColumn('remind_at', t.instant, (c) => c.notNull())
    .addColumn('hours', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('failing_queues_pk', ['team_id', 'queue_id'])
    .execute();
  await db.schema
    .createIndex('failing_queues_to_remind')
    .on('failing_queues')
    .column('remind_at')
    .execute();
}
