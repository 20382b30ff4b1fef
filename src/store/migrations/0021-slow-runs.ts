import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Alerts of slow runs (§6.4): `slow_rule` of crons and queues is JSON of domain/slow-runs, null for none; what is slow
 * now is in `slow_spells`, with the rule that it is slow by. The rule stands apart from the other settings of alerts because it travels with every claim.
 */
export async function createSlowRuns(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  for (const table of ['crons', 'queues'])
    await db.schema.alterTable(table).addColumn('slow_rule', 'text').execute();
  await db.schema
    .createTable('slow_spells')
    .addColumn('team_id', t.id, (c) => c.notNull())
    .addColumn('source_id', t.id, (c) => c.notNull())
    .addColumn('rule', 'text', (c) => c.notNull())
    .addColumn('since', t.instant)
    .addColumn('last_at', t.instant, (c) => c.notNull())
    .addColumn('told_at', t.instant, (c) => c.notNull())
    .addPrimaryKeyConstraint('slow_spells_pk', ['team_id', 'source_id'])
    .execute();
}
