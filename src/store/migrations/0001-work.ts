import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Crons, queues and jobs, and their results. One file, both databases.
 *
 * Every delivery pays for each index on `jobs`, so there is one only for each frequent question: which jobs of a queue
 * are due, which run, which have ended in each way and when (for its lists and both kinds of retention), and which are
 * a team's newest.
 */
export async function createWorkTables(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await createTeams(db, t);
  await createQueues(db, t);
  await createJobs(db, t);
  await createCrons(db, t);
  await createExecutions(db, t);
  await createOutbox(db, t);
  await createCounters(db, t);
}

async function createTeams(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('teams')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('sealed_signing_secret', 'text')
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addColumn('deleted_at', t.instant)
    .execute();
  await db.schema
    .createIndex('teams_deleted')
    .on('teams')
    .column('id')
    .where(sql.ref('deleted_at'), 'is not', null)
    .execute();
}

async function createQueues(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('queues')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('timeout_seconds', 'integer', (c) =>
      c.notNull().check(sql`timeout_seconds between 1 and 300`),
    )
    .addColumn('retry_schedule', 'text', (c) => c.notNull())
    .addColumn('retries_enabled', 'integer', (c) =>
      c.notNull().check(sql`retries_enabled in (0, 1)`),
    )
    .addColumn('concurrency_limit', 'integer', (c) => c.check(sql`concurrency_limit >= 1`))
    .addColumn('assertions', 'text', (c) => c.notNull())
    .addColumn('email_alerts', 'integer', (c) => c.notNull().check(sql`email_alerts in (0, 1)`))
    .addColumn('dead_letter_days', 'integer', (c) =>
      c.notNull().check(sql`dead_letter_days between 1 and 365`),
    )
    .addColumn('is_paused', 'integer', (c) => c.notNull().check(sql`is_paused in (0, 1)`))
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('queues_pk', ['team_id', 'id'])
    .addUniqueConstraint('one_queue_per_name', ['team_id', 'name'])
    .execute();
  await db.schema.createIndex('queues_by_id').on('queues').column('id').execute();
}

async function createJobs(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('original_id', t.id, (c) => c.notNull())
    .addColumn('attempt_number', 'integer', (c) => c.notNull().check(sql`attempt_number >= 1`))
    .addColumn('queue_id', t.id, (c) => c.notNull())
    .addColumn('status', 'text', (c) =>
      c
        .notNull()
        .check(
          sql`status in ('pending', 'processing', 'success', 'retried', 'dead_lettered', 'failed')`,
        ),
    )
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('callback_url', 'text')
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addColumn('scheduled_at', t.instant, (c) => c.notNull())
    .addColumn('started_at', t.instant)
    .addColumn('completed_at', t.instant)
    .addColumn('claimed_by', t.id)
    .addColumn('response_status', 'integer')
    .addColumn('reason', 'text')
    .addColumn('error_message', 'text')
    .addColumn('duration_ms', 'integer', (c) => c.check(sql`duration_ms >= 0`))
    .addColumn('retried_as', t.id)
    .addColumn('sealed_headers', 'text')
    .addColumn('payload', 'text')
    .addPrimaryKeyConstraint('jobs_pk', ['team_id', 'id'])
    .addCheckConstraint(
      'finished_has_a_time',
      sql`(status in ('pending', 'processing')) = (completed_at is null)`,
    )
    .addCheckConstraint(
      'processing_is_claimed',
      sql`(status = 'processing') = (claimed_by is not null)`,
    )
    .execute();
  await createJobIndexes(db);
}

async function createJobIndexes(db: Kysely<unknown>): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on('jobs');
  await index('jobs_waiting')
    .columns(['queue_id', 'scheduled_at', 'id'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  await index('jobs_running')
    .columns(['queue_id'])
    .where(sql.ref('status'), '=', sql.lit('processing'))
    .execute();
  await index('jobs_finished')
    .columns(['queue_id', 'status', 'completed_at'])
    .where(sql.ref('completed_at'), 'is not', null)
    .execute();
  await index('jobs_attempts')
    .columns(['original_id'])
    .where(sql`attempt_number > 1` as never)
    .execute();
}

async function createCrons(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('crons')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('callback_url', 'text')
    .addColumn('cron_expression', 'text', (c) => c.notNull())
    .addColumn('timeout_seconds', 'integer', (c) =>
      c.notNull().check(sql`timeout_seconds between 1 and 300`),
    )
    .addColumn('alert_threshold', 'integer', (c) => c.check(sql`alert_threshold between 1 and 3`))
    .addColumn('is_active', 'integer', (c) => c.notNull().check(sql`is_active in (0, 1)`))
    .addColumn('next_run_at', t.instant)
    .addColumn('assertions', 'text', (c) => c.notNull())
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addColumn('sealed_headers', 'text')
    .addColumn('payload', 'text')
    .addPrimaryKeyConstraint('crons_pk', ['team_id', 'id'])
    .addCheckConstraint('paused_never_runs', sql`is_active = 1 or next_run_at is null`)
    .execute();
  await db.schema
    .createIndex('crons_waiting')
    .on('crons')
    .columns(['team_id', 'next_run_at', 'id'])
    .where(sql.ref('next_run_at'), 'is not', null)
    .execute();
}

/**
 * One row per run of a cron. A scheduled time is started once, on any number of nodes. Run now has no scheduled time
 * (`scheduled_for` is null), so it may be used any number of times.
 */
async function createExecutions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('executions')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('cron_id', t.id, (c) => c.notNull())
    .addColumn('scheduled_for', t.instant)
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('pending', 'running', 'success', 'failed')`),
    )
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addColumn('started_at', t.instant)
    .addColumn('completed_at', t.instant)
    .addColumn('claimed_by', t.id)
    .addColumn('response_status', 'integer')
    .addColumn('reason', 'text')
    .addColumn('error_message', 'text')
    .addColumn('duration_ms', 'integer', (c) => c.check(sql`duration_ms >= 0`))
    .addPrimaryKeyConstraint('executions_pk', ['team_id', 'id'])
    .addUniqueConstraint('one_run_per_tick', ['team_id', 'cron_id', 'scheduled_for'])
    .addCheckConstraint(
      'finished_has_a_time',
      sql`(status in ('pending', 'running')) = (completed_at is null)`,
    )
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('executions');
  await index('executions_of_cron').columns(['cron_id', 'id']).execute();
  await index('executions_waiting')
    .columns(['team_id', 'created_at', 'id'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  await index('executions_running')
    .columns(['claimed_by'])
    .where(sql.ref('status'), '=', sql.lit('running'))
    .execute();
  await index('executions_finished')
    .columns(['completed_at'])
    .where(sql.ref('completed_at'), 'is not', null)
    .execute();
}

async function createOutbox(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('responses')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('run_id', t.id, (c) => c.notNull())
    .addColumn('total_bytes', t.instant, (c) => c.notNull())
    .addColumn('trace', 'text')
    .addColumn('body', t.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint('responses_pk', ['team_id', 'run_id'])
    .execute();
  await db.schema
    .createTable('callbacks')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('run_id', t.id, (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('callbacks_pk', ['team_id', 'id'])
    .execute();
}

async function createCounters(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('usage_months')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('month', 'text', (c) => c.notNull())
    .addColumn('used', t.instant, (c) => c.notNull())
    .addColumn('granted', t.instant, (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('usage_months_pk', ['team_id', 'month'])
    .execute();
  await db.schema
    .createTable('usage_days')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('used', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_days_pk', ['team_id', 'day'])
    .execute();
  await db.schema
    .createTable('nodes')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('started_at', t.instant, (c) => c.notNull())
    .addColumn('lease_until', t.instant, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('installation')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('api_windows')
    .addColumn('address', 'text', (c) => c.primaryKey())
    .addColumn('opened_at', t.instant, (c) => c.notNull())
    .addColumn('hits', 'integer', (c) => c.notNull())
    .execute();
}
