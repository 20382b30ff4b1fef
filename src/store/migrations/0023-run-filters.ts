import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** What teams narrow the list of runs to, by name. `query` is as it stands in the address of the page. */
export async function createRunFilters(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('run_filters')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('query', 'text', (c) => c.notNull())
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('run_filters_pk', ['team_id', 'id'])
    .addUniqueConstraint('run_filters_of_name', ['team_id', 'name'])
    .execute();
}
