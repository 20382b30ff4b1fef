import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Lists of the running jobs of queues with a concurrency limit, on Postgres. The index of running jobs is no place to
 * count them: it has entries of all jobs that ended since the last vacuum that could remove them, beside a snapshot of
 * last night a million. SQLite leaves no such entries, and its table stays empty.
 *
 * `nodes.keeps_slots` is 0 for nodes of older versions, which claim without writing these lists.
 */
export async function createTakenSlots(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('nodes')
    .addColumn('keeps_slots', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('taken_slots')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('queue_id', t.id, (c) => c.notNull())
    .addColumn('number', t.instant, (c) => c.notNull())
    .addColumn('job_ids', t.ids)
    .addColumn('recount_until', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('taken_slots_pk', ['team_id', 'queue_id', 'number'])
    .execute();
}
