/** Many crons that are all due at the same moment. */
import { aCron } from '#testing/factories';
import { eventually } from '#testing/process';
import { buildBenchEngine, openBenchStore } from './belfry.ts';
import type { DatabaseName, Places } from './place.ts';
import { at, format, ms, section } from './table.ts';
import type { Target } from './target.ts';

const TEAMS = 10;
const SLOTS = 256;
const ONCE_A_YEAR = { cronExpression: '0 0 1 1 *', nextRunAt: null };
/** Long enough that the last cron is made before the first is due. */
const LEAD_MS = 2_000;

export async function measureCrons(
  places: Places,
  target: Target,
  databases: readonly DatabaseName[],
  crons: number,
): Promise<string> {
  const rows: string[][] = [];
  for (const database of databases) {
    const { arrived, twice, late } = await measureOn(await places.make(database), target, crons);
    const counts = [crons, arrived, twice].map(format);
    rows.push([database, ...counts, ms(at(late, 0.5)), ms(at(late, 1))]);
  }
  const head = ['', 'crons', 'arrived', 'twice', 'half within', 'all within'];
  return section('Crons due at the same moment', [], head, rows);
}

async function measureOn(place: string, target: Target, crons: number) {
  const store = await openBenchStore(place);
  const { engine, sender } = buildBenchEngine(store, SLOTS);
  const teams = await Promise.all(
    Array.from({ length: TEAMS }, (_, n) =>
      store.teams.create(`Team ${n}`, 'unlimited', store.clock.now()),
    ),
  );
  for (let n = 0; n < crons; n++) {
    const teamId = teams[n % TEAMS]?.id ?? '';
    await aCron(store, teamId, { url: `${target.url}/cron/${n}`, ...ONCE_A_YEAR });
  }
  const dueAt = store.clock.now() + LEAD_MS;
  await store.database.transact((trx) =>
    trx.updateTable('crons').set({ is_active: 1, next_run_at: dueAt }).execute(),
  );
  await engine.start();
  await eventually(async () => (await target.count('/cron')) >= crons, {
    withinMs: 90_000,
    everyMs: 100,
  });
  await engine.stop(10_000);
  await sender.close();
  await store.close();
  const arrivals = await target.take('/cron');
  await target.forget();
  const late = arrivals.map(([, when]) => when - dueAt).toSorted((a, b) => a - b);
  const arrived = new Set(arrivals.map(([path]) => path)).size;
  return { arrived, twice: late.length - arrived, late };
}
