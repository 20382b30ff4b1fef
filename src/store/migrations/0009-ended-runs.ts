import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Tables for ended runs, apart from waiting and running ones. Their rows are only inserted and deleted, each with its
 * response.
 *
 * On Postgres successful jobs are partitioned by the time of their end, so that old ones are dropped with a partition
 * and not deleted row by row (postgres/partitions.ts). Failed attempts share a partition: they are few, and each queue
 * keeps dead letters for its own number of days. Successes whose time has no partition go into `ended_jobs_rest`.
 *
 * Runs that ended before stay in `jobs`, `executions` and `responses` until `older-runs.ts` has moved them.
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
    .$call((table) =>
      t.isPartitioned ? table.modifyEnd(sql`partition by range (status, completed_at)`) : table,
    )
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
  // Used only by statements with the condition "url <> ''". Without it the planner, while a partition is empty, chose
  // this index, by its team, for look-ups of whole keys.
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
  // Not unique: a node of the version before does not check this table, and a time that it runs again must end like any
  // other.
  await index('ended_executions_of_tick')
    .columns(['team_id', 'cron_id', 'scheduled_for'])
    .where(sql.ref('scheduled_for'), 'is not', null)
    .execute();
  await index('ended_executions_old').column('completed_at').execute();
}

type Table = CreateTableBuilder<string, string>;

/**
 * Adds the columns of the outcome, with the stored part of the response. Large columns come last: SQLite reads a row
 * from its start, and lists need only the small ones.
 *
 * @param bigTexts  large columns of the run itself
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
    // One level of partitions: some distributed databases refuse two. All other statuses come before this one.
    sql`create table ended_jobs_unsuccessful partition of ended_jobs
      for values from (minvalue, minvalue) to ('success', minvalue)`,
    sql`create table ended_jobs_rest partition of ended_jobs default`,
    // Every run leaves these tables soon, and its dead row must be vacuumed before the next million has come.
    sql`alter table jobs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
    sql`alter table executions set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
  ]) {
    await statement.execute(db);
  }
}
