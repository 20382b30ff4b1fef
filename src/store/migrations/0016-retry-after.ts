import type { Kysely } from 'kysely';

/** Whether retries of a queue wait for as long as their target asks (§3.4). The version before makes queues without. */
export async function addRetryAfter(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('queues')
    .addColumn('honors_retry_after', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
