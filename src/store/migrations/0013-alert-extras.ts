import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Reminders (§6.5): `crons.remind_at` is when somebody is told again that a cron still fails. `alerts.kind` tells
 * apart what is no run's own alert; null is one.
 */
export async function createAlertExtras(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('crons').addColumn('remind_at', t.instant).execute();
  await db.schema.alterTable('alerts').addColumn('kind', 'text').execute();
  // On Postgres apart from migrations (postgres-indexes.ts).
  if (t.buildsIndexesApart) return;
  await db.schema
    .createIndex('crons_to_remind')
    .on('crons')
    .column('remind_at')
    .where(sql.ref('remind_at'), 'is not', null)
    .execute();
}
