/** Floods one team's queue with jobs for a slow target, and measures how long new jobs of another team wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { aJob } from '#testing/factories';
import { eventually } from '#testing/process';
import { buildBenchEngine, fillQueue, openBenchStore, openQueue } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import type { DatabaseName, Places } from './place.ts';
import { format, median, ms, section } from './table.ts';
import type { Target } from './target.ts';

const SLOTS = 256;
const SMALL_JOBS = 10;

export async function measureFlood(
  places: Places,
  target: Target,
  databases: readonly DatabaseName[],
  flooding: number,
): Promise<string> {
  const rows: string[][] = [];
  for (const database of databases) {
    const waits = await measureOn(await places.make(database), target, flooding);
    rows.push([database, format(flooding), ms(median(waits)), ms(Math.max(...waits))]);
  }
  const intro = `One queue is full of due jobs, and its target takes a second. Another team creates ${SMALL_JOBS} jobs, one after the other. The table shows how long these wait.`;
  const head = ['', 'flooding jobs', 'median wait', 'longest wait'];
  return section('A flooded queue next to a small one', [intro], head, rows);
}

async function measureOn(place: string, target: Target, flooding: number): Promise<number[]> {
  const store = await openBenchStore(place);
  const { engine, sender } = buildBenchEngine(store, SLOTS);
  const { teamId, queueId } = await fillQueue(store, 1, `${target.url}/slow`);
  const url = `${target.url}/slow`;
  const firstDueAt = store.clock.now() - 3_600_000;
  const rows = { teamId, queueIds: [queueId], url, firstDueAt, isFinished: false };
  await insertJobs(store, { ...rows, count: flooding });
  await openQueue(store, teamId);
  await engine.start();
  await eventually(async () => (await target.count('/slow')) >= 100, { withinMs: 20_000 });
  const small = await store.teams.create('Small', 'unlimited', store.clock.now());
  const waits: number[] = [];
  for (let n = 0; n < SMALL_JOBS; n++) {
    const path = `/small/${n}`;
    const from = performance.timeOrigin + performance.now();
    await aJob(store, small.id, { url: `${target.url}${path}` });
    await eventually(async () => (await target.count(path)) > 0, { withinMs: 30_000, everyMs: 5 });
    const [arrival] = await target.take(path);
    waits.push((arrival?.[1] ?? Number.NaN) - from);
    await delay(100);
  }
  await engine.stop(5_000);
  await sender.close();
  await store.close();
  await target.forget();
  return waits;
}
