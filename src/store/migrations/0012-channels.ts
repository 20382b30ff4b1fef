import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Several channels for a team (§6.5). The present one stays in its table and is the default; the others are in
 * `channels`.
 *
 * `alert_settings` of crons and queues is JSON of domain/alert-settings, null for the defaults. A notice is for one
 * channel, null for the default one. Notices of the same alerts share a `group_id`, to which the alerts refer. A notice
 * of an older version is a group by itself.
 */
export async function createChannels(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('channels')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('sealed_url', 'text')
    .addColumn('last_sent_at', t.instant)
    .addColumn('last_error', 'text')
    .addColumn('last_error_at', t.instant)
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('channels_pk', ['team_id', 'id'])
    .addUniqueConstraint('channels_name', ['team_id', 'name'])
    .execute();
  for (const table of ['crons', 'queues']) {
    await db.schema.alterTable(table).addColumn('alert_settings', 'text').execute();
  }
  const notices = () => db.schema.alterTable('notices');
  await notices().addColumn('channel_id', t.id).execute();
  await notices().addColumn('group_id', t.id).execute();
  // Whether another notice tells the default channel of the same alerts.
  await notices()
    .addColumn('is_beside_default', 'integer', (c) =>
      c
        .notNull()
        .defaultTo(0)
        .check(sql`is_beside_default in (0, 1)`),
    )
    .execute();
}
