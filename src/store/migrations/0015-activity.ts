import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The actions of people. `actor` is the person's name at that time; without an `actor_id` it was the command line. */
export async function createActivity(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('activity')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('at', t.instant, (c) => c.notNull())
    .addColumn('actor_id', t.id)
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject_id', t.id)
    .addColumn('subject', 'text')
    .addColumn('detail', 'text')
    .addPrimaryKeyConstraint('activity_pk', ['team_id', 'id'])
    .execute();
  await db.schema
    .createIndex('activity_of_subject')
    .on('activity')
    .columns(['team_id', 'subject_id', 'id'])
    .execute();
  await db.schema.createIndex('activity_by_time').on('activity').column('at').execute();
}
