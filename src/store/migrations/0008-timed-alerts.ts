import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Alerts that depend on time: of crons that still fail when a maintenance window ends (§6.6), and of the month's usage
 * (§6.7).
 *
 * `maintenance_windows.told_until` is the last end of the window for which notices were made. `alerts.window_id` names
 * the window that muted an alert. Alerts about usage have a table of their own, whose key allows each mark once.
 */
export async function createTimedAlerts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('maintenance_windows').addColumn('told_until', t.instant).execute();
  await db.schema.alterTable('alerts').addColumn('window_id', t.id).execute();
  // On Postgres they are built apart from migrations (postgres-indexes.ts).
  if (!t.buildsIndexesApart) await createIndexes(db);
  await db.schema
    .createTable('usage_alerts')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('month', 'text', (c) => c.notNull())
    .addColumn('mark', 'integer', (c) => c.notNull().check(sql`mark in (80, 100)`))
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('raised_at', t.instant, (c) => c.notNull())
    .addColumn('used', t.instant, (c) => c.notNull())
    .addColumn('monthly_limit', t.instant, (c) => c.notNull())
    .addColumn('is_read', 'integer', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`is_read in (0, 1)`),
    )
    .addPrimaryKeyConstraint('usage_alerts_pk', ['team_id', 'month', 'mark'])
    .execute();
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('alerts_of_window')
    .on('alerts')
    .columns(['team_id', 'window_id', 'id'])
    .where(sql.ref('window_id'), 'is not', null)
    .execute();
  await db.schema.createIndex('usage_months_by_month').on('usage_months').column('month').execute();
}
