import type { Kysely } from 'kysely';

/** At which rate the jobs of a bulk retry come due (§3.2); null for all at once, as the version before has them. */
export async function addSpreadRetries(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('bulk_tasks').addColumn('rate', 'text').execute();
}
