import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * What runs in a queue with a concurrency limit, on Postgres: what a claim would count in the index of running jobs
 * has entries of all that ended since the last vacuum could clean up, a million beside a snapshot of last night.
 * SQLite leaves no such entries behind, and its table stays empty.
 *
 * `nodes.keeps_slots` is 0 for nodes of versions that know nothing of this and claim without writing it down.
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
