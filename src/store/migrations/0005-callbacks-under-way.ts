import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Callbacks that a node has taken to send, apart from waiting ones. So a taken callback is not lost if the answer to
 * the commit is lost.
 */
export async function createCallbacksUnderWay(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('callbacks_under_way')
    .addColumn('node_id', t.id, (c) => c.notNull())
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('id', t.id, (c) => c.notNull())
    .addColumn('run_id', t.id, (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('callbacks_under_way_pk', ['node_id', 'team_id', 'id'])
    .execute();
}
