/**
 * The cost of one job for the service and its database, and the memory of a request under way, from which capacity is
 * computed (docs/scaling.md). The service runs as a process of its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { type Client, makeClient, TEAM } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';
import { postJobs } from './accepting.ts';
import { readMemory } from './memory.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';
import { readTreeMicros } from './processor-time.ts';
import { readDatabaseSize } from './soak.ts';
import { HOLD_MS, type Target } from './target.ts';

/** Per job: microseconds of processor time of the service and of its database server, and bytes. */
export interface UnitCost {
  cpuMicros: number;
  serverMicros: number;
  /** Bytes of the write-ahead log; null on SQLite. */
  walBytes: number | null;
  /** The growth of the database in bytes. */
  diskBytes: number;
}

export interface Units {
  database: DatabaseName;
  jobs: number;
  accept: UnitCost;
  deliver: UnitCost;
  /** The growth of the service's memory with this many requests under way. */
  underWay: number;
  underWayBytes: number;
  /** Deliveries by several processes that share the database; nothing on SQLite. */
  nodes: { nodes: number; perSecond: number; cpuMicros: number; serverMicros: number }[];
}

const QUEUE = 'units';
const NODES = [1, 2, 4];
/** How long after a job's arrival its outcome is certainly stored. */
const STORED_MS = 1_500;
const env = { PLANS: 'unlimited=unlimited', LOG_LEVEL: 'warn' };
const MANY_SLOTS = { ...env, MAX_CONCURRENT_REQUESTS: '4000' };

interface Room {
  places: Places;
  place: string;
  rows: Rows;
  serverPid: number | null;
  target: Target;
  belfry: BelfryProcess;
  client: Client;
}

export async function measureUnits(
  places: Places,
  target: Target,
  { jobs, underWay }: { jobs: number; underWay: number },
): Promise<Units[]> {
  const results: Units[] = [];
  for (const database of DATABASES) {
    const place = await places.make(database);
    const serverPid = database === 'Postgres' ? await places.postgresPid() : null;
    const databaseUrl = database === 'SQLite' ? `sqlite:${place}` : place;
    await using belfry = await startBelfry({ databaseUrl, env });
    await using rows = await openRows(databaseUrl);
    const client = await makeClient(belfry);
    const room = { places, place, rows, serverPid, target, belfry, client };
    // The first thousands cost more, until the code is compiled.
    await passThrough(room, jobs / 2);
    const { accept, deliver } = await passThrough(room, jobs);
    const nodes = serverPid === null ? [] : await measureNodes(room, jobs, databaseUrl);
    await belfry.stop();
    await using roomy = await belfry.restart(MANY_SLOTS);
    const memory = await holdMany({ ...room, belfry: roomy }, { underWay, warmUp: jobs / 2 });
    client.close();
    const result = { database, jobs, accept, deliver, ...memory, nodes };
    report(result);
    results.push(result);
  }
  return results;
}

function report({ database, accept, deliver, underWay, underWayBytes, nodes }: Units): void {
  const each = ({ cpuMicros, serverMicros, walBytes, diskBytes }: UnitCost) =>
    `${cpuMicros.toFixed(0)} + ${serverMicros.toFixed(0)} µs, ${walBytes?.toFixed(0) ?? '-'} B of log, ${diskBytes.toFixed(0)} B`;
  const memory = `${(underWayBytes / 1e6).toFixed(0)} MB for ${underWay} under way`;
  process.stdout.write(
    `  ${database}: accept ${each(accept)}; deliver ${each(deliver)}; ${memory}\n`,
  );
  for (const { nodes: count, perSecond, cpuMicros, serverMicros } of nodes) {
    const figures = `${perSecond.toFixed(0)} a second, ${cpuMicros.toFixed(0)} + ${serverMicros.toFixed(0)} µs`;
    process.stdout.write(`  ${database}: ${count} nodes deliver ${figures}\n`);
  }
}

/** Accepts jobs of a paused queue, then sends them. */
async function passThrough(room: Room, jobs: number) {
  const job = { queue: QUEUE, url: `${room.target.url}/units`, payload: { n: 1 } };
  await pause(room, true);
  const accept = await spend(room, jobs, () => postJobs(room.belfry, room.client, job, jobs));
  const deliver = await spend(room, jobs, async () => {
    await pause(room, false);
    await arrive(room.target, '/units', jobs);
  });
  return { accept, deliver };
}

async function pause({ belfry }: Room, isPaused: boolean): Promise<void> {
  const queue = ['queue', 'set', '--team', TEAM, '--queue', QUEUE];
  const { code, stderr } = await belfry.cliProcess(...queue, isPaused ? '--pause' : '--resume');
  if (code !== 0) throw new Error(stderr);
}

async function arrive(target: Target, path: string, jobs: number): Promise<void> {
  await eventually(async () => (await target.count(path)) >= jobs, {
    withinMs: 300_000,
    everyMs: 100,
    what: `${jobs} arrivals`,
  });
  await delay(STORED_MS);
  await target.forget();
}

async function spend(room: Room, jobs: number, work: () => Promise<unknown>): Promise<UnitCost> {
  const before = await readAll(room);
  await work();
  const now = await readAll(room);
  return {
    cpuMicros: (now.own - before.own) / jobs,
    serverMicros: (now.server - before.server) / jobs,
    walBytes: room.serverPid === null ? null : (now.wal - before.wal) / jobs,
    diskBytes: (now.disk - before.disk) / jobs,
  };
}

async function readAll({ belfry, serverPid, place, rows }: Room) {
  const text = `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`;
  const [log] = serverPid === null ? [] : await rows.all<{ bytes: number }>(text);
  return {
    own: readTreeMicros(belfry.pid),
    server: serverPid === null ? 0 : readTreeMicros(serverPid),
    wal: log?.bytes ?? 0,
    disk: await readDatabaseSize({ place, rows, serverPid }),
  };
}

/** Measures the service's memory for requests that a target keeps open. */
async function holdMany(room: Room, { underWay, warmUp }: { underWay: number; warmUp: number }) {
  const { belfry, client, target } = room;
  await passThrough(room, warmUp);
  const before = readMemory(belfry.pid);
  // A queue alone gets two thirds of the slots, which are enough.
  const job = { queue: 'held', url: `${target.url}/hold`, payload: { n: 1 } };
  await postJobs(belfry, client, job, underWay);
  await eventually(async () => (await target.count('/hold')) >= underWay, {
    withinMs: HOLD_MS,
    what: `${underWay} requests under way at once`,
  });
  const underWayBytes = readMemory(belfry.pid) - before;
  await delay(HOLD_MS + STORED_MS);
  await target.forget();
  return { underWay, underWayBytes };
}

async function measureNodes(
  room: Room,
  jobs: number,
  databaseUrl: string,
): Promise<Units['nodes']> {
  const results: Units['nodes'] = [];
  const others: BelfryProcess[] = [];
  const job = { queue: QUEUE, url: `${room.target.url}/units`, payload: { n: 1 } };
  for (const nodes of NODES) {
    while (others.length < nodes - 1) {
      others.push(await startBelfry({ databaseUrl, env }));
      // The first thousands of a process cost more, until the code is compiled.
      await passThrough(room, 2 * jobs);
    }
    await pause(room, true);
    await postJobs(room.belfry, room.client, job, jobs);
    const pids = [room.belfry, ...others].map(({ pid }) => pid);
    const own = () => pids.reduce((sum, pid) => sum + readTreeMicros(pid), 0);
    const server = () => readTreeMicros(room.serverPid ?? 0);
    const before = { own: own(), server: server() };
    const startedAt = performance.now();
    await pause(room, false);
    await arrive(room.target, '/units', jobs);
    results.push({
      nodes,
      perSecond: (jobs / (performance.now() - startedAt - STORED_MS)) * 1000,
      cpuMicros: (own() - before.own) / jobs,
      serverMicros: (server() - before.server) / jobs,
    });
  }
  for (const each of others) await each.stop();
  return results;
}
