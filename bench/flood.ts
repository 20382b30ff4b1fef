/** Floods one team's queue with jobs for a slow target, and measures how long new jobs of another team wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '#testing/process';
import { buildBenchEngine, fillQueue, openBenchStore, openQueue } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';
import type { Target } from './target.ts';

export interface Flood {
  database: DatabaseName;
  flooding: number;
  /** The times from acceptance to arrival of single jobs, in milliseconds. */
  waits: number[];
  longestMs: number;
}

const SLOTS = 256;
const SMALL_JOBS = 10;

export async function measureFlood(
  places: Places,
  target: Target,
  flooding: number,
): Promise<Flood[]> {
  const results: Flood[] = [];
  for (const database of DATABASES) {
    const waits = await measureOn(await places.make(database), target, flooding);
    const longestMs = Math.max(...waits);
    results.push({ database, flooding, waits, longestMs });
    process.stdout.write(
      `  ${database}: the other team's jobs started within ${longestMs.toFixed(0)} ms\n`,
    );
  }
  return results;
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
    await store.jobs.accept({
      teamId: small.id,
      queue: 'small',
      method: 'POST',
      url: `${target.url}${path}`,
      headers: [],
      payload: null,
      callbackUrl: null,
      delaySeconds: 0,
    });
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
