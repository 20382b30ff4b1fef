/** The memory of the service's process while a million jobs wait. */
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startBelfry } from '#testing/process';
import { fillQueue, locationOf, openBenchStore } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';

export interface Memory {
  database: DatabaseName;
  waiting: number;
  startMs: number;
  /** Resident bytes of the process with nothing waiting, and with the jobs. */
  emptyBytes: number;
  fullBytes: number;
}

const SETTLE_MS = 5_000;
/** The key that tests use on Postgres: rows are written here, and the service must open the same database. */
const env = { PLANS: 'unlimited=unlimited', APP_KEY: Buffer.alloc(32, 1).toString('base64') };

export async function measureMemory(places: Places, waiting: number): Promise<Memory[]> {
  const results: Memory[] = [];
  for (const database of DATABASES) {
    const place = await places.make(database);
    const empty = await startAndWeigh(place);
    const store = await openBenchStore(place);
    const { teamId, queueId } = await fillQueue(store, 1, 'http://127.0.0.1:9/');
    const firstDueAt = store.clock.now() + 24 * 3_600_000;
    const rows = { count: waiting, url: 'http://127.0.0.1:9/', firstDueAt, isFinished: false };
    await insertJobs(store, { teamId, queueIds: [queueId], ...rows });
    await store.close();
    const full = await startAndWeigh(place);
    results.push({
      database,
      waiting,
      emptyBytes: empty.bytes,
      fullBytes: full.bytes,
      startMs: full.startMs,
    });
    process.stdout.write(
      `  ${database}: ${(full.bytes / 1e6).toFixed(0)} MB with ${waiting} waiting, ${(empty.bytes / 1e6).toFixed(0)} MB with none\n`,
    );
  }
  return results;
}

async function startAndWeigh(place: string): Promise<{ bytes: number; startMs: number }> {
  const databaseUrl = locationOf(place).kind === 'sqlite' ? `sqlite:${place}` : place;
  const from = performance.now();
  await using belfry = await startBelfry({ databaseUrl, env });
  const startMs = performance.now() - from;
  await delay(SETTLE_MS);
  return { bytes: readMemory(belfry.pid), startMs };
}

/** Resident bytes of a process. */
export function readMemory(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
