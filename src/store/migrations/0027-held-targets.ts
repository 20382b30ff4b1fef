import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Until when retries of a queue wait for a target that has asked for it by `Retry-After` (§3.4), and which waiting jobs
 * have their time from a person and wait for none. The version before knows of neither: its nodes send retries at their
 * times.
 */
export async function createHeldTargets(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('held_targets')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('queue_id', t.id, (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('until', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('held_targets_pk', ['team_id', 'queue_id', 'origin'])
    .execute();
  await db.schema
    .createIndex('held_targets_queue')
    .on('held_targets')
    .columns(['queue_id', 'until'])
    .execute();
  await db.schema.createIndex('held_targets_until').on('held_targets').column('until').execute();
  await db.schema.alterTable('jobs').addColumn('is_time_by_hand', 'integer').execute();
}
