import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Data for plots of a team and its queues. `source_id` is a queue or cron, or the team for all its runs.
 *
 * `duration_hours` counts runs that were sent, by outcome and step of duration (domain/duration-histogram.ts).
 * `queue_depths` has the due jobs that waited at the times of `depth_looks`; where none waited there is no row.
 */
export async function createFigures(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('duration_hours')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('source_id', t.id, (c) => c.notNull())
    .addColumn('hour', t.instant, (c) => c.notNull())
    .addColumn('outcome', 'text', (c) =>
      c.notNull().check(sql`outcome in ('success', 'retried', 'failed')`),
    )
    .addColumn('step', 'integer', (c) => c.notNull())
    .addColumn('runs', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('duration_hours_pk', [
      'team_id',
      'source_id',
      'hour',
      'outcome',
      'step',
    ])
    .execute();
  await db.schema
    .createIndex('duration_hours_by_hour')
    .on('duration_hours')
    .column('hour')
    .execute();
  await createDepths(db, t);
}

async function createDepths(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('depth_looks')
    .addColumn('at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('depth_looks_pk', ['at'])
    .execute();
  await db.schema
    .createTable('queue_depths')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('source_id', t.id, (c) => c.notNull())
    .addColumn('at', t.instant, (c) => c.notNull())
    .addColumn('waiting', 'integer', (c) => c.notNull())
    .addColumn('oldest_ms', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('queue_depths_pk', ['team_id', 'source_id', 'at'])
    .execute();
  await db.schema.createIndex('queue_depths_by_time').on('queue_depths').column('at').execute();
}
