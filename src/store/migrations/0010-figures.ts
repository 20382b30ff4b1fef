import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** As the steps of domain/duration-histogram.ts were when this was made; further ones would be further columns. */
const STEPS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000,
  5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 50_000, 70_000, 100_000, 150_000, 200_000, 300_000,
];

/**
 * What plots of a team and its queues are drawn from. `source_id` is a queue, or the team for all that it runs.
 *
 * `duration_hours` counts what was sent, by how long it took and how it ended. `queue_depths` has what was due and
 * waited at the times of `depth_looks`; where there was none there is no row.
 */
export async function createFigures(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  let hours = db.schema
    .createTable('duration_hours')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('source_id', t.id, (c) => c.notNull())
    .addColumn('hour', t.instant, (c) => c.notNull())
    .addColumn('outcome', 'text', (c) =>
      c.notNull().check(sql`outcome in ('success', 'retried', 'failed')`),
    );
  for (const column of [...STEPS.map((ms) => `up_to_${ms}`), 'longer']) {
    hours = hours.addColumn(column, 'integer', (c) => c.notNull().defaultTo(0));
  }
  await hours
    .addPrimaryKeyConstraint('duration_hours_pk', ['team_id', 'source_id', 'hour', 'outcome'])
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
