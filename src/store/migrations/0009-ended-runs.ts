import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * What has ended lies apart from what waits and runs: it is only ever inserted, with its response in the row.
 *
 * On Postgres jobs that have ended are partitioned by the time of their end, so that those that were kept long enough
 * are dropped and not deleted row by row (postgres/partitions.ts). Dead letters, which each queue keeps for days of its
 * own, have a partition for themselves. Rows for whose time no partition was made fall into `ended_jobs_rest`.
 *
 * What ended before stays in `jobs`, `executions` and `responses` until `older-runs.ts` has moved it.
 */
export async function createEndedRuns(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await createEndedJobs(db, t);
  await createEndedExecutions(db, t);
  if (t.isPartitioned) await partition(db);
}

async function createEndedJobs(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await withOutcome(
    db.schema
      .createTable('ended_jobs')
      .addColumn('team_id', t.id, (c) => c.notNull())
      .addColumn('id', t.id, (c) => c.notNull())
      .addColumn('original_id', t.id, (c) => c.notNull())
      .addColumn('attempt_number', 'integer', (c) => c.notNull())
      .addColumn('queue_id', t.id, (c) => c.notNull())
      .addColumn('method', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('callback_url', 'text')
      .addColumn('created_at', t.instant, (c) => c.notNull())
      .addColumn('scheduled_at', t.instant, (c) => c.notNull())
      .addColumn('started_at', t.instant)
      .addColumn('status', 'text', (c) =>
        c.notNull().check(sql`status in ('success', 'retried', 'dead_lettered', 'failed')`),
      )
      .addColumn('retried_as', t.id),
    t,
    ['sealed_headers', 'payload'],
  )
    .addPrimaryKeyConstraint(
      'ended_jobs_pk',
      t.isPartitioned ? ['team_id', 'id', 'status', 'completed_at'] : ['team_id', 'id'],
    )
    .$call((table) => (t.isPartitioned ? table.modifyEnd(sql`partition by list (status)`) : table))
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('ended_jobs');
  await index('ended_jobs_of_queue')
    .columns(['queue_id', 'status', 'completed_at', 'id'])
    .execute();
  await index('ended_jobs_failed')
    .columns(['queue_id', 'status'])
    .expression(sql`(case when retried_as is null then 0 else 1 end)`)
    .expression(sql`(coalesce(reason, ''))`)
    .columns(['completed_at', 'id'])
    .where(sql`status in ('retried', 'dead_lettered', 'failed')` as never)
    .execute();
  await index('ended_jobs_attempts')
    .column('original_id')
    .where(sql`attempt_number > 1` as never)
    .execute();
  await index('ended_jobs_resent')
    .column('retried_as')
    .where(sql.ref('retried_as'), 'is not', null)
    .execute();
  // Only who says "url <> ''" finds it: while a partition is empty, a plan for whole keys was given it by the team.
  await index('ended_jobs_by_url')
    .column('team_id')
    .expression(t.urlStart)
    .where(sql`url <> ''` as never)
    .execute();
}

async function createEndedExecutions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await withOutcome(
    db.schema
      .createTable('ended_executions')
      .addColumn('team_id', t.id, (c) => c.notNull())
      .addColumn('id', t.id, (c) => c.notNull())
      .addColumn('cron_id', t.id, (c) => c.notNull())
      .addColumn('scheduled_for', t.instant)
      .addColumn('created_at', t.instant, (c) => c.notNull())
      .addColumn('started_at', t.instant)
      .addColumn('status', 'text', (c) => c.notNull().check(sql`status in ('success', 'failed')`)),
    t,
  )
    .addPrimaryKeyConstraint('ended_executions_pk', ['team_id', 'id'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('ended_executions');
  await index('ended_executions_of_cron').columns(['cron_id', 'id']).execute();
  // Not unique: a node of the version before does not look here, and what it has run once more must end like any other.
  await index('ended_executions_of_tick')
    .columns(['team_id', 'cron_id', 'scheduled_for'])
    .where(sql.ref('scheduled_for'), 'is not', null)
    .execute();
  await index('ended_executions_old').column('completed_at').execute();
}

type Table = CreateTableBuilder<string, string>;

/**
 * How a run ended, with what is kept of its response. What is big stands at the end: SQLite reads a row from its start,
 * and lists ask for what is small.
 *
 * @param bigTexts  of the run itself
 */
function withOutcome(table: Table, t: ColumnTypes, bigTexts: readonly string[] = []): Table {
  const small = table
    .addColumn('completed_at', t.instant, (c) => c.notNull())
    .addColumn('response_status', 'integer')
    .addColumn('reason', 'text')
    .addColumn('error_message', 'text')
    .addColumn('duration_ms', 'integer', (c) => c.check(sql`duration_ms >= 0`))
    .addColumn('total_bytes', t.instant);
  return bigTexts
    .reduce((made, name) => made.addColumn(name, 'text'), small)
    .addColumn('trace', 'text')
    .addColumn('body', t.bytes);
}

async function partition(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create table ended_jobs_dead partition of ended_jobs for values in ('dead_lettered')`,
    sql`create table ended_jobs_done partition of ended_jobs
      for values in ('success', 'retried', 'failed') partition by range (completed_at)`,
    sql`create table ended_jobs_rest partition of ended_jobs_done default`,
    // Each run leaves these soon after it came, and its row must go before the next million has come.
    sql`alter table jobs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
    sql`alter table executions set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
  ]) {
    await statement.execute(db);
  }
}
