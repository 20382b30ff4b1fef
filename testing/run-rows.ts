import { remove } from '#store/database/rows';
import { sql } from '#store/database/sql';
import { ENDED_TABLE, KEPT_COLUMNS, OUTCOME_COLUMNS, type RunTable } from '#store/runs/run-tables';
import type { Row } from '#store/tables/tables';
import type { Store } from '#store/store';

type Outcome = Pick<Row<'ended_jobs'> | Row<'ended_executions'>, 'status' | 'completed_at'> &
  Partial<Row<'ended_jobs'>>;

/** Ends waiting or running runs as if they had been sent, without callbacks, alerts or counts. */
export async function endRuns(
  { database }: Pick<Store, 'database'>,
  table: RunTable,
  ids: readonly string[],
  outcome: Outcome,
): Promise<void> {
  const kept = KEPT_COLUMNS[table];
  const given = OUTCOME_COLUMNS.filter((name) => outcome[name] !== undefined);
  await database.transact(async (trx) => {
    await trx.change(sql`
      insert into ${sql.raw(`${ENDED_TABLE[table]} (${[...kept, ...given].join(', ')})`)}
      select ${sql.raw(kept.join(', '))}, ${sql.join(given.map((name) => sql`${outcome[name]}`))}
      from ${sql.raw(table)} where id in (${sql.join(ids)})`);
    await remove(trx, table, { id: ids });
  });
}
