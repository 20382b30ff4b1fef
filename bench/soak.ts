/**
 * Runs the service for many minutes at half of its full speed, while as many runs leave the history as come in: does
 * anything drift?
 *
 * Jobs are posted over HTTP and due a second later. Beforehand, dead letters are written into a queue that keeps them
 * for a day. They become a day old while the service runs, as fast as new jobs come in, so retention has as much to do
 * as deliveries. (On Postgres other jobs would be dropped with their partition, at no cost.) Autovacuum runs with the
 * service's settings.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { type BelfryProcess, startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';
import { at } from './accepting.ts';
import { openBenchStore } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import { readMemory } from './memory.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';
import { readTreeMicros } from './processor-time.ts';
import type { Target } from './target.ts';

export interface SoakOptions {
  minutes: number;
  /** Jobs per second; null for half of the service's full speed. */
  perSecond: number | null;
  only: DatabaseName | null;
}

/** The figures of one stretch of time. */
export interface SoakStretch {
  /** When it ended, in seconds since the start. */
  untilSecond: number;
  arrivedPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the service and of its database server, in microseconds a job. */
  cpuMicros: number;
  serverMicros: number;
  /** Resident memory of the service, and what the database takes on the disk. */
  memoryBytes: number;
  databaseBytes: number;
}

export interface Soak {
  database: DatabaseName;
  /** The measured full speed; null where the speed was given. */
  fullSpeed: number | null;
  perSecond: number;
  minutes: number;
  posted: number;
  arrived: number;
  twice: number;
  refused: number;
  stretches: SoakStretch[];
}

const TICK_MS = 10;
const PROBE_MS = 15_000;
const CONNECTIONS = 64;
const DELAY_SECONDS = 1;
/** The page compares the first quarter with the last. */
const STRETCHES = 4;
const LEAD_IN_MS = 5_000;
const LAST_ONES_MS = 5_000;
const DAY_MS = 86_400_000;
const QUEUE = 'soak';
/** The benchmarks' key: rows are written here, and the service must open the same database. */
const env = {
  PLANS: 'unlimited=unlimited',
  LOG_LEVEL: 'warn',
  HISTORY_DAYS: '1',
  APP_KEY: Buffer.alloc(32, 1).toString('base64'),
};

export async function measureSoak(
  places: Places,
  target: Target,
  options: SoakOptions,
): Promise<Soak[]> {
  const results: Soak[] = [];
  for (const database of DATABASES) {
    if (options.only !== null && options.only !== database) continue;
    results.push(await measureOn(places, target, database, options));
  }
  return results;
}

async function measureOn(
  places: Places,
  target: Target,
  database: DatabaseName,
  { minutes, ...options }: SoakOptions,
): Promise<Soak> {
  const place = await places.make(database);
  const serverPid = database === 'Postgres' ? await places.postgresPid() : null;
  const databaseUrl = database === 'SQLite' ? `sqlite:${place}` : place;
  const first = await startBelfry({ databaseUrl, env });
  const client = await makeClient(first);
  const { token, teamId } = client;
  client.close();
  const fullSpeed = options.perSecond === null ? await probe(first, token, target) : null;
  const perSecond = options.perSecond ?? Math.floor((fullSpeed ?? 0) / 2);
  await first.stop();
  await fillHistory(place, teamId, perSecond, minutes);
  process.stdout.write(`  ${database}: ${perSecond} a second for ${minutes} minutes\n`);
  await using belfry = await startBelfry({ databaseUrl, env });
  await using rows = await openRows(databaseUrl);
  await using poster = openPoster(belfry, token, target);
  const soak = {
    database,
    fullSpeed,
    perSecond,
    minutes,
    posted: 0,
    arrived: 0,
    twice: 0,
    refused: 0,
  };
  const stretches: SoakStretch[] = [];
  const machine = { pid: belfry.pid, serverPid, place, rows };
  const seconds = (minutes * 60) / STRETCHES;
  // A lead-in, until jobs come and go at the same pace.
  await poster.postFor(LEAD_IN_MS, perSecond);
  await poster.takeLate();
  for (let n = 1; n <= STRETCHES; n++) {
    const before = readProcessors(machine);
    await poster.postFor(seconds * 1000, perSecond);
    const stretch = await readStretch(machine, before, await poster.takeLate(), seconds);
    stretches.push({ untilSecond: n * seconds, ...stretch });
    report(database, stretches.at(-1));
  }
  await delay(LAST_ONES_MS);
  await poster.takeLate();
  return { ...soak, ...poster.counted, stretches };
}

function report(database: DatabaseName, stretch: SoakStretch | undefined): void {
  if (!stretch) return;
  const { untilSecond, arrivedPerSecond, p50Ms, p99Ms } = stretch;
  const late = `median ${p50Ms.toFixed(1)} ms, 99 % ${p99Ms.toFixed(0)} ms`;
  const cost = `${stretch.cpuMicros.toFixed(0)} + ${stretch.serverMicros.toFixed(0)} µs`;
  const room = `${(stretch.memoryBytes / 1e6).toFixed(0)} MB, on disk ${(stretch.databaseBytes / 1e6).toFixed(0)} MB`;
  process.stdout.write(
    `  ${database}: ${untilSecond.toFixed(0)} s: ${arrivedPerSecond.toFixed(0)} a second, ${late}, ${cost}, ${room}\n`,
  );
}

interface Machine {
  pid: number;
  serverPid: number | null;
  place: string;
  rows: Rows;
}

function readProcessors({ pid, serverPid }: Machine): { own: number; server: number } {
  return { own: readTreeMicros(pid), server: serverPid === null ? 0 : readTreeMicros(serverPid) };
}

async function readStretch(
  machine: Machine,
  before: { own: number; server: number },
  late: readonly number[],
  seconds: number,
): Promise<Omit<SoakStretch, 'untilSecond'>> {
  const now = readProcessors(machine);
  return {
    arrivedPerSecond: late.length / seconds,
    p50Ms: at(late, 0.5),
    p99Ms: at(late, 0.99),
    cpuMicros: (now.own - before.own) / late.length,
    serverMicros: (now.server - before.server) / late.length,
    memoryBytes: readMemory(machine.pid),
    databaseBytes: await readDatabaseSize(machine),
  };
}

/** What a database takes on the disk. */
export async function readDatabaseSize({
  place,
  rows,
  serverPid,
}: Omit<Machine, 'pid'>): Promise<number> {
  if (serverPid === null) {
    const files = [place, `${place}-wal`].filter((file) => fs.existsSync(file));
    return files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  }
  const text = 'select pg_database_size(current_database())::float8 as bytes';
  return (await rows.all<{ bytes: number }>(text))[0]?.bytes ?? Number.NaN;
}

/** Writes as many dead letters as become a day old while the service runs. */
async function fillHistory(
  place: string,
  teamId: string,
  perSecond: number,
  minutes: number,
): Promise<void> {
  const store = await openBenchStore(place);
  const { id } = await store.queues.save(teamId, QUEUE, { deadLetterDays: 1 }, store.clock.now());
  const rows = { teamId, queueIds: [id], url: 'http://127.0.0.1:9/quiet' };
  await insertJobs(store, {
    ...rows,
    count: perSecond * minutes * 60,
    firstDueAt: store.clock.now() - DAY_MS,
    stepMs: 1000 / perSecond,
    isFinished: true,
    areDead: true,
  });
  await store.close();
}

/** Measures full speed: arrivals per second while each connection posts the next job as soon as one is accepted. */
async function probe(belfry: BelfryProcess, token: string, target: Target): Promise<number> {
  await using poster = openPoster(belfry, token, target);
  await poster.postFor(PROBE_MS / 3, Infinity);
  await poster.takeLate();
  await poster.postFor(PROBE_MS, Infinity);
  return (await poster.takeLate()).length / (PROBE_MS / 1000);
}

/** Posts jobs that are due a second later, and compares them with what arrives. */
export function openPoster(belfry: BelfryProcess, token: string, target: Target) {
  const api = openApi(belfry, token);
  // Each poster has its own prefix, so that it ignores jobs of others.
  const prefix = `/soak/${randomUUID()}/`;
  /** The due time of each job; its arrival removes the entry. */
  const due = new Map<number, number>();
  const gone = new Set<number>();
  const counted = { posted: 0, accepted: 0, arrived: 0, twice: 0, refused: 0 };
  const post = async () => {
    const number = counted.posted++;
    const url = `${target.url}${prefix}${number}`;
    const job = { queue: QUEUE, url, payload: { n: 1 }, delay: DELAY_SECONDS };
    const { status, jobId } = await api.post(job);
    if (status === 201) due.set(number, acceptedAt(jobId) + DELAY_SECONDS * 1000);
    if (status === 201) counted.accepted++;
    else counted.refused++;
  };
  const postFor = async (ms: number, perSecond: number) => {
    const from = performance.now();
    let started = 0;
    let underWay = 0;
    for (;;) {
      const elapsed = performance.now() - from;
      if (elapsed >= ms) return;
      const wanted = Math.min((elapsed * perSecond) / 1000, started + CONNECTIONS - underWay);
      while (started < wanted) {
        started++;
        underWay++;
        void post().finally(() => underWay--);
      }
      await delay(perSecond === Infinity ? 1 : TICK_MS);
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
  /** Jobs that were answered with 201 and have not arrived. */
  const countMissing = () => due.size;
  return { postFor, takeLate, countMissing, counted, [Symbol.asyncDispose]: api.close };
}

function openApi({ url }: BelfryProcess, token: string) {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  const post = async (job: object) => {
    const body = JSON.stringify(job);
    const answer = await pool.request({ path: '/api/jobs', method: 'POST', headers, body });
    const { job_id } = (await answer.body.json()) as { job_id?: string };
    return { status: answer.statusCode, jobId: job_id ?? '' };
  };
  return { post, close: () => pool.close() };
}

/** A job's id begins with the milliseconds of its acceptance. */
function acceptedAt(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
