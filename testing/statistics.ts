import { CompiledQuery } from 'kysely';
import type { TestStore } from './stores.ts';
import { eventually } from './wait.ts';

/** Rows by the statistics, and the real ones. */
const COUNTS = `
  select (select sum(pg_stat_get_live_tuples(oid)) from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname like 'ended\\_%')
    = (select count(*) from ended_jobs) + (select count(*) from ended_executions) as agree`;

/** Until Postgres' statistics of ended runs are right: its connections report their changes after some seconds. */
export async function refreshStatistics(store: TestStore): Promise<void> {
  if (store.dialect !== 'postgres') return;
  const ask = (text: string) => store.database.autocommit(CompiledQuery.raw(text));
  await eventually(
    async () => {
      await ask('analyze');
      const [row] = (await ask(COUNTS)) as { agree: boolean }[];
      return row?.agree;
    },
    { everyMs: 100, what: 'the statistics to be right' },
  );
}
