import { ask } from './ask.ts';
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
  await eventually(
    async () => {
      await ask(store, 'analyze');
      const [row] = await ask<{ agree: boolean }>(store, COUNTS);
      return row?.agree;
    },
    { everyMs: 100, what: 'the statistics to be right' },
  );
}
