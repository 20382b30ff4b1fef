import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Reminders (§6.5): `crons.remind_at` is the time of the next reminder that a cron still fails. `alerts.kind` names
 * alerts that no run has raised; null for a run's own.
 *
 * Channels that collect notices (§6.5): for how many minutes, and their present batch (domain/alert-digest). Notices of
 * one channel and `batch_id` are sent as one message.
 */
export async function createAlertExtras(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('crons').addColumn('remind_at', t.instant).execute();
  await db.schema.alterTable('alerts').addColumn('kind', 'text').execute();
  for (const table of ['notification_channels', 'channels']) {
    const add = () => db.schema.alterTable(table);
    await add().addColumn('collect_minutes', 'integer').execute();
    await add().addColumn('collecting_id', t.id).execute();
    await add().addColumn('collecting_until', t.instant).execute();
  }
  await db.schema.alterTable('notices').addColumn('batch_id', t.id).execute();
  // On Postgres they are built apart from migrations (postgres-indexes.ts).
  if (t.buildsIndexesApart) return;
  await db.schema
    .createIndex('crons_to_remind')
    .on('crons')
    .column('remind_at')
    .where(sql.ref('remind_at'), 'is not', null)
    .execute();
}
