import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * How the runs of each batch ended, until they are added to `outcome_hours` and `duration_hours` a few seconds later.
 * Rows here are only inserted and deleted; a counter that every batch changes keeps all its versions beside an old
 * snapshot. Nodes of the version before count by the hour at once and read no rows of this table, so they show the last
 * seconds late.
 */
export async function createBatchCounts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('batch_counts')
    .addColumn('id', t.rowNumber, (c) => c.notNull())
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('source_id', t.id, (c) => c.notNull())
    .addColumn('hour', t.instant, (c) => c.notNull())
    .addColumn('outcome', 'text', (c) =>
      c.notNull().check(sql`outcome in ('success', 'retried', 'failed', 'started')`),
    )
    .addColumn('step', 'integer')
    .addColumn('runs', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('batch_counts_pk', ['id'])
    .execute();
  await db.schema
    .createIndex('batch_counts_of_source')
    .on('batch_counts')
    .columns(['team_id', 'source_id'])
    .execute();
}
