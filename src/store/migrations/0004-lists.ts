import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Indexes for pages of jobs, counters for plots, and bulk tasks.
 *
 * Lists are merged from one range per queue and state (lists/ranges.ts), so most of them need no index of their own.
 * `jobs_finished` ends in the id, so that a page can begin after any job. Retries and failures have partial indexes,
 * which a delivery that succeeds at once never touches. Only the index by URL costs every job something.
 */
export async function createListIndexes(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  // On Postgres they are built apart from migrations, so that writes can continue (postgres-indexes.ts).
  if (!t.buildsIndexesApart) await createJobIndexes(db, t);
  await createOutcomeHours(db, t);
  await createBulkTasks(db, t);
}

/** SQLite writes an index only if its columns change, so the one by URL costs one write per job. */
async function createJobIndexes(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on('jobs');
  await db.schema.dropIndex('jobs_finished').execute();
  await index('jobs_finished')
    .columns(['queue_id', 'status', 'completed_at', 'id'])
    .where(sql.ref('completed_at'), 'is not', null)
    .execute();
  await index('jobs_retrying')
    .columns(['queue_id', 'scheduled_at', 'id'])
    .where(sql`status = 'pending' and attempt_number > 1` as never)
    .execute();
  await index('jobs_failed')
    .columns(['queue_id', 'status'])
    .expression(sql`(case when retried_as is null then 0 else 1 end)`)
    .expression(sql`(coalesce(reason, ''))`)
    .columns(['completed_at', 'id'])
    .where(sql`status in ('retried', 'dead_lettered', 'failed')` as never)
    .execute();
  await index('jobs_retried')
    .column('retried_as')
    .where(sql.ref('retried_as'), 'is not', null)
    .execute();
  await index('jobs_by_url').column('team_id').expression(t.urlStart).execute();
}

/** Counts of outcomes by hour, written with the settlement, so that a plot over a month reads a few hundred rows. */
async function createOutcomeHours(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('outcome_hours')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('hour', t.instant, (c) => c.notNull())
    .addColumn('outcome', 'text', (c) =>
      c.notNull().check(sql`outcome in ('success', 'retried', 'failed')`),
    )
    .addColumn('runs', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('outcome_hours_pk', ['team_id', 'hour', 'outcome'])
    .execute();
  await db.schema.createIndex('outcome_hours_by_hour').on('outcome_hours').column('hour').execute();
}

async function createBulkTasks(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('bulk_tasks')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull().check(sql`kind in ('fire', 'retry', 'delete')`))
    .addColumn('search', 'text', (c) => c.notNull())
    .addColumn('up_to_id', t.id, (c) => c.notNull())
    .addColumn('state', 'text', (c) =>
      c.notNull().check(sql`state in ('waiting', 'running', 'done', 'cancelled', 'failed')`),
    )
    .addColumn('total', 'integer', (c) => c.notNull())
    .addColumn('is_total_more', 'integer', (c) => c.notNull().check(sql`is_total_more in (0, 1)`))
    .addColumn('done', t.instant, (c) => c.notNull().defaultTo(0))
    .addColumn('skipped', t.instant, (c) => c.notNull().defaultTo(0))
    .addColumn('cursor', 'text')
    .addColumn('claimed_by', t.id)
    .addColumn('claimed_until', t.instant, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addColumn('finished_at', t.instant)
    .addPrimaryKeyConstraint('bulk_tasks_pk', ['team_id', 'id'])
    .addCheckConstraint(
      'finished_has_a_time',
      sql`(state in ('waiting', 'running')) = (finished_at is null)`,
    )
    .execute();
  await db.schema
    .createIndex('bulk_tasks_open')
    .on('bulk_tasks')
    .column('id')
    .where(sql.ref('finished_at'), 'is', null)
    .execute();
}
