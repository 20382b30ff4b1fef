import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Ends of crons (§3.1): the last time at which one may be due, and after how many scheduled runs it ends, which are
 * counted only where there is such a number. A version before neither counts nor ends.
 */
export async function addCronEnds(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const crons = () => db.schema.alterTable('crons');
  await crons().addColumn('ends_at', t.instant).execute();
  await crons().addColumn('max_runs', 'integer').execute();
  await crons()
    .addColumn('runs_counted', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
