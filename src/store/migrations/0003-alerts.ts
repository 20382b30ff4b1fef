import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Alerts, the notices that tell of them, channels and maintenance windows (§6.4). */
export async function createAlertTables(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await addStreaks(db, t);
  await createAlerts(db, t);
  await createNotices(db, t);
  await createChannels(db, t);
  await createWindows(db, t);
}

/** A cron's streak of failed runs: see domain/alert-streak. Kept only while the cron has a threshold. */
async function addStreaks(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const add = () => db.schema.alterTable('crons');
  await add()
    .addColumn('failed_runs', 'integer', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`failed_runs >= 0`),
    )
    .execute();
  await add().addColumn('failing_since', t.instant).execute();
  await add()
    .addColumn('has_raised_failure', 'integer', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`has_raised_failure in (0, 1)`),
    )
    .execute();
}

async function createAlerts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('raised_at', t.instant, (c) => c.notNull())
    .addColumn('level', 'text', (c) =>
      c.notNull().check(sql`level in ('warning', 'failure', 'recovery')`),
    )
    .addColumn('source', 'text', (c) => c.notNull().check(sql`source in ('cron', 'queue')`))
    .addColumn('source_id', t.id, (c) => c.notNull())
    // The name at that time: it may be renamed or deleted since.
    .addColumn('source_name', 'text', (c) => c.notNull())
    .addColumn('run_id', t.id, (c) => c.notNull())
    .addColumn('attempt_number', 'integer')
    .addColumn('response_status', 'integer')
    .addColumn('reason', 'text')
    .addColumn('error_message', 'text')
    .addColumn('failed_runs', 'integer')
    .addColumn('down_ms', t.instant)
    .addColumn('delivery', 'text', (c) =>
      c.notNull().check(sql`delivery in ('muted', 'pending', 'sent', 'failed')`),
    )
    .addColumn('muted_by', 'text')
    .addColumn('notice_id', t.id)
    .addColumn('is_read', 'integer', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`is_read in (0, 1)`),
    )
    .addPrimaryKeyConstraint('alerts_pk', ['team_id', 'id'])
    .addCheckConstraint('muted_has_no_notice', sql`(delivery = 'muted') = (notice_id is null)`)
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('alerts');
  await index('alerts_unread')
    .columns(['team_id', 'id'])
    .where(sql.ref('is_read'), '=', sql.lit(0))
    .execute();
  await index('alerts_of_notice')
    .columns(['notice_id', 'id'])
    .where(sql.ref('notice_id'), 'is not', null)
    .execute();
  await index('alerts_by_level').columns(['team_id', 'level', 'id']).execute();
  await index('alerts_of_source').columns(['team_id', 'source_id', 'id']).execute();
  await index('alerts_by_age').column('raised_at').execute();
}

/** Notices that are still to be sent. A row is deleted when everybody has been told, or nobody can be told any more. */
async function createNotices(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('notices')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('alert_count', 'integer', (c) => c.notNull().check(sql`alert_count >= 1`))
    // JSON list: see `NoticeTarget`.
    .addColumn('targets', 'text', (c) => c.notNull())
    .addColumn('next_try_at', t.instant, (c) => c.notNull())
    .addColumn('first_tried_at', t.instant)
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('claim_id', t.id)
    .addPrimaryKeyConstraint('notices_pk', ['team_id', 'id'])
    .execute();
  await db.schema
    .createIndex('notices_waiting')
    .on('notices')
    .columns(['team_id', 'next_try_at', 'id'])
    .execute();
  await db.schema
    .createTable('alert_bursts')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('queue_id', t.id, (c) => c.notNull())
    .addColumn('level', 'text', (c) => c.notNull())
    .addColumn('quiet_until', t.instant, (c) => c.notNull())
    .addColumn('gathering_notice_id', t.id)
    .addColumn('gathering_until', t.instant)
    .addPrimaryKeyConstraint('alert_bursts_pk', ['team_id', 'queue_id', 'level'])
    .execute();
}

async function createChannels(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('notification_channels')
    .addColumn('team_id', t.id, (c) => c.primaryKey())
    // The kinds are in domain/notification-channel; a new one needs no migration.
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('sealed_url', 'text')
    .addColumn('last_sent_at', t.instant)
    .addColumn('last_error', 'text')
    .addColumn('last_error_at', t.instant)
    .execute();
}

async function createWindows(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('maintenance_windows')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('starts_at', t.instant, (c) => c.notNull())
    .addColumn('ends_at', t.instant, (c) => c.notNull())
    .addColumn('is_weekly', 'integer', (c) => c.notNull().check(sql`is_weekly in (0, 1)`))
    .addColumn('covers_team', 'integer', (c) => c.notNull().check(sql`covers_team in (0, 1)`))
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('maintenance_windows_pk', ['team_id', 'id'])
    .addCheckConstraint('ends_after_its_start', sql`ends_at > starts_at`)
    .execute();
  await db.schema
    .createTable('maintenance_window_sources')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('window_id', t.id, (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull().check(sql`source in ('cron', 'queue')`))
    .addColumn('source_id', t.id, (c) => c.notNull())
    .addPrimaryKeyConstraint('maintenance_window_sources_pk', [
      'team_id',
      'window_id',
      'source',
      'source_id',
    ])
    .execute();
}
