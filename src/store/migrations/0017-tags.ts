import type { Kysely } from 'kysely';

/**
 * Tags of crons and queues (§2.13): a JSON list, null for none. Claims of the version before are not disturbed, because
 * they name the columns that they read.
 */
export async function addTags(db: Kysely<unknown>): Promise<void> {
  for (const table of ['crons', 'queues']) {
    await db.schema.alterTable(table).addColumn('tags', 'text').execute();
  }
}
