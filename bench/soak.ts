/**
 * Posts jobs over HTTP at a steady rate, each due a second later, and measures how late they arrive. `steady` does so
 * for ten seconds. `soak` does so for many minutes while as many runs leave the history as come in: does anything drift?
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openRows } from '#testing/rows';
import { openApi } from './api.ts';
import { openBenchStore } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import { readMemory } from './memory.ts';
import { type DatabaseName, type Places, type Service, startService } from './place.ts';
import { readTreeMicros } from './processor-time.ts';
import { at, format, megabytes, micros, ms, section } from './table.ts';
import type { Target } from './target.ts';

interface Rate {
  perSecond: number;
  seconds: number;
}

/** The figures of one stretch of time. */
interface Stretch {
  /** In milliseconds, smallest first. */
  late: number[];
  /** Processor time of the service and of its database server, in microseconds a job. */
  cpuMicros: number;
  serverMicros: number;
  memoryBytes: number;
  databaseBytes: number;
}

const TICK_MS = 5;
const CONNECTIONS = 64;
const DELAY_SECONDS = 1;
/** The table compares the first quarter with the last. */
const STRETCHES = 4;
const WARM_UP_MS = 2_000;
const LEAD_IN_MS = 5_000;
const LAST_ONES_MS = 5_000;
const DAY_MS = 86_400_000;
const QUEUE = 'soak';

export async function measureSteady(
  places: Places,
  target: Target,
  databases: readonly DatabaseName[],
  { perSecond, seconds }: Rate,
): Promise<string> {
  const rows: string[][] = [];
  for (const database of databases) {
    await using service = await startService(places, database);
    await warmUp(service, target, perSecond);
    await using poster = openPoster(service, target);
    await poster.postFor(seconds * 1000, perSecond);
    await delay(DELAY_SECONDS * 1000 + LAST_ONES_MS);
    const late = await poster.takeLate();
    const { posted, arrived, twice } = poster.counted;
    const early = late.filter((each) => each < 0).length;
    const counts = [`${format(arrived)} of ${format(posted)}`, String(twice), String(early)];
    const lateness = [0.5, 0.99, 1].map((share) => ms(at(late, share)));
    rows.push([database, format(posted / seconds), ...counts, ...lateness]);
  }
  const intro =
    'Jobs posted over HTTP and due a second later, after two seconds of warm-up. Lateness is the time from the due time to the arrival at the target.';
  const head = ['', 'a second', 'arrived', 'twice', 'early', 'median', '99 %', 'latest'];
  return section('Lateness under a steady load', [intro], head, rows);
}

/** The poster, the service and the target become fast only after some work. */
async function warmUp(service: Service, target: Target, perSecond: number): Promise<void> {
  await using poster = openPoster(service, target);
  await poster.postFor(WARM_UP_MS, perSecond);
  await delay(DELAY_SECONDS * 1000 * 2);
  await poster.takeLate();
}

export async function measureSoak(
  places: Places,
  target: Target,
  databases: readonly DatabaseName[],
  rate: Rate,
): Promise<string> {
  const columns: string[][] = [];
  for (const database of databases) columns.push(await soakOn(places, target, database, rate));
  const names = ['arrived of posted', 'twice', 'arrived, a second', 'lateness, median'];
  const costs = [
    'lateness, 99 %',
    'processor time a job',
    'of its database',
    'memory',
    'on the disk',
  ];
  const rows = [...names, ...costs].map((name, at) =>
    [name].concat(columns.map((each) => each[at] ?? '')),
  );
  const intro = [
    `${format(rate.perSecond)} jobs a second for ${format(rate.seconds / 60)} minutes, posted over HTTP and due a second later, while retention deletes as many as come in. Each figure: the first quarter of the time, then the last.`,
  ];
  return section('Many minutes at a steady rate', intro, ['', ...databases], rows);
}

async function soakOn(
  places: Places,
  target: Target,
  database: DatabaseName,
  rate: Rate,
): Promise<string[]> {
  const place = await places.make(database);
  await fillHistory(place, rate);
  await using service = await startService(places, database, { HISTORY_DAYS: '1' }, place);
  await using poster = openPoster(service, target);
  const seconds = rate.seconds / STRETCHES;
  const stretches: Stretch[] = [];
  // Until jobs come and go at the same pace.
  await poster.postFor(LEAD_IN_MS, rate.perSecond);
  await poster.takeLate();
  while (stretches.length < STRETCHES) {
    const before = readProcessors(service);
    await poster.postFor(seconds * 1000, rate.perSecond);
    const late = await poster.takeLate();
    const now = readProcessors(service);
    stretches.push({
      late,
      cpuMicros: (now.own - before.own) / late.length,
      serverMicros: (now.server - before.server) / late.length,
      memoryBytes: readMemory(service.pid),
      databaseBytes: await readDatabaseSize(service),
    });
    process.stdout.write(`  ${database}: ${stretches.length} of ${STRETCHES} stretches\n`);
  }
  await delay(LAST_ONES_MS);
  await poster.takeLate();
  const { posted, arrived, twice } = poster.counted;
  const drift = (value: (stretch: Stretch) => number, write: (value: number) => string) => {
    const [first = 0, last = 0] = [stretches[0], stretches.at(-1)].map(
      (each) => each && value(each),
    );
    // On SQLite the database runs inside the service's process.
    return first === 0 ? '' : `${write(first)} → ${write(last)} (${(last / first).toFixed(2)})`;
  };
  return [
    `${format(arrived)} of ${format(posted)}`,
    String(twice),
    drift(({ late }) => late.length / seconds, format),
    drift(({ late }) => at(late, 0.5), ms),
    drift(({ late }) => at(late, 0.99), ms),
    drift(({ cpuMicros }) => cpuMicros, micros),
    drift(({ serverMicros }) => serverMicros, micros),
    drift(({ memoryBytes }) => memoryBytes, megabytes),
    drift(({ databaseBytes }) => databaseBytes, megabytes),
  ];
}

function readProcessors({ pid, serverPid }: Service): { own: number; server: number } {
  return { own: readTreeMicros(pid), server: serverPid === null ? 0 : readTreeMicros(serverPid) };
}

async function readDatabaseSize({ place, serverPid }: Service): Promise<number> {
  if (serverPid === null) {
    const files = [place, `${place}-wal`].filter((file) => fs.existsSync(file));
    return files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  }
  await using rows = await openRows(place);
  const text = 'select pg_database_size(current_database())::float8 as bytes';
  return (await rows.all<{ bytes: number }>(text))[0]?.bytes ?? Number.NaN;
}

/**
 * Writes as many dead letters as become a day old while the service runs, into a queue that keeps them for a day: so
 * retention has as much to do as deliveries. On Postgres other jobs would be dropped with their partition, at no cost.
 */
async function fillHistory(place: string, { perSecond, seconds }: Rate): Promise<void> {
  const store = await openBenchStore(place);
  const now = store.clock.now();
  const team = await store.teams.create('Bench', 'unlimited', now);
  const { id } = await store.queues.save(team.id, QUEUE, { deadLetterDays: 1 }, now);
  await insertJobs(store, {
    teamId: team.id,
    queueIds: [id],
    url: 'http://127.0.0.1:9/quiet',
    count: perSecond * seconds,
    firstDueAt: now - DAY_MS,
    stepMs: 1000 / perSecond,
    isFinished: true,
    failures: 'all',
  });
  await store.close();
}

/** Posts jobs that are due a second later, and compares them with what arrives. */
function openPoster(service: { url: string; token: string }, target: Target) {
  const api = openApi(service, CONNECTIONS);
  // Each poster has its own prefix, so that it ignores jobs of others.
  const prefix = `/soak/${randomUUID()}/`;
  /** The due time of each job; its arrival removes the entry. */
  const due = new Map<number, number>();
  const gone = new Set<number>();
  const counted = { posted: 0, arrived: 0, twice: 0 };
  const post = async () => {
    const number = counted.posted++;
    const url = `${target.url}${prefix}${number}`;
    const job = { queue: QUEUE, url, payload: { n: 1 }, delay: DELAY_SECONDS };
    const { status, jobId } = await api.post(job);
    if (status === 201) due.set(number, acceptedAt(jobId) + DELAY_SECONDS * 1000);
  };
  const postFor = async (forMs: number, perSecond: number) => {
    const from = performance.now();
    let started = 0;
    let underWay = 0;
    for (;;) {
      const elapsed = performance.now() - from;
      if (elapsed >= forMs) return;
      const wanted = Math.min((elapsed * perSecond) / 1000, started + CONNECTIONS - underWay);
      while (started < wanted) {
        started++;
        underWay++;
        void post().finally(() => underWay--);
      }
      await delay(TICK_MS);
    }
  };
  /** The lateness of jobs that arrived since the last call, smallest first. */
  const takeLate = async () => {
    const late: number[] = [];
    for (const [path, when] of await target.drain()) {
      if (!path.startsWith(prefix)) continue;
      const number = Number(path.slice(prefix.length));
      const dueAt = due.get(number);
      if (dueAt !== undefined) late.push(when - dueAt);
      if (gone.has(number)) counted.twice++;
      due.delete(number);
      gone.add(number);
    }
    counted.arrived = gone.size;
    return late.toSorted((a, b) => a - b);
  };
  const end = () => api[Symbol.asyncDispose]();
  return { postFor, takeLate, counted, [Symbol.asyncDispose]: end };
}

/** A job's id begins with the milliseconds of its acceptance. */
function acceptedAt(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
