/** The memory of the service's process while a million jobs wait. */
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openBenchStore } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import { type DatabaseName, type Places, startService } from './place.ts';
import { format, megabytes, section } from './table.ts';

const SETTLE_MS = 5_000;
const DAY_MS = 86_400_000;
const URL = 'http://127.0.0.1:9/';

export async function measureMemory(
  places: Places,
  databases: readonly DatabaseName[],
  waiting: number,
): Promise<string> {
  const rows: string[][] = [];
  for (const database of databases) {
    const empty = await weigh(places, database, 0);
    const full = await weigh(places, database, waiting);
    rows.push([database, format(waiting), megabytes(full), megabytes(empty)]);
  }
  const intro = 'Resident memory of the whole service, five seconds after its start.';
  return section('Memory', [intro], ['', 'waiting', 'with them', 'with none'], rows);
}

async function weigh(places: Places, database: DatabaseName, waiting: number): Promise<number> {
  const place = await places.make(database);
  const store = await openBenchStore(place);
  const now = store.clock.now();
  const { id: teamId } = await store.teams.create('Bench', 'unlimited', now);
  const queue = await store.queues.save(teamId, 'memory', {}, now);
  const jobs = { url: URL, firstDueAt: now + DAY_MS, isFinished: false };
  await insertJobs(store, { teamId, queueIds: [queue.id], count: waiting, ...jobs });
  await store.close();
  await using service = await startService(places, database, {}, place);
  await delay(SETTLE_MS);
  return readMemory(service.pid);
}

/** Resident bytes of a process. */
export function readMemory(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
