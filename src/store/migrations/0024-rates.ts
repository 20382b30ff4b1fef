import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Rates of queues (§3.8): `rate` is text such as `10/second`. What claims have spent of it lies apart from the queue,
 * whose row would otherwise be written anew with each claim (docs/decisions/0014-rates-in-the-claim.md). The version
 * before knows of no rate, and holds none.
 */
export async function addRates(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema.alterTable('queues').addColumn('rate', 'text').execute();
  await db.schema.alterTable('taken_slots').addColumn('rate_spent_until', t.instant).execute();
}
