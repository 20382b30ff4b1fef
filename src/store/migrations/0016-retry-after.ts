import type { Kysely } from 'kysely';

/** Whether retries of a queue wait as long as their target asks (§3.4). Queues that the version before makes do not. */
export async function addRetryAfter(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('queues')
    .addColumn('honors_retry_after', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
