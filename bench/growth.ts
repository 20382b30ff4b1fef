/**
 * The cost of claims, settlements, acceptances, pages, a rescan and retention with millions of runs stored, and also
 * beside an old snapshot; each compared with a thousand runs.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { Client } from 'pg';
import { daysOfPartition } from '#store/retention/partitions';
import type { OpenedStore, Store } from '#store/store';
import type { JobSearch } from '#work/job-contract';
import { createWork, type Work } from '#work/work';
import { settlementOf } from './batches.ts';
import { HISTORY_DAYS, locationOf, openBenchStore } from './belfry.ts';
import { insertJobs } from './bulk.ts';
import { median } from './deliveries.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';
import { backendMsSince, readBackends } from './processor-time.ts';
import { NO_LIMITS } from '#store/figures/usage';

export interface GrowthOptions {
  /** The finished runs on Postgres; SQLite has a quarter of them. */
  finished: number;
  waiting: number;
  batches: number;
  /** How many runs come and go while the snapshot is open. */
  beside: number;
  /** How many claims of single jobs are made while the snapshot is open. */
  claims: number;
  only: DatabaseName | null;
}

export interface Cost {
  /** Medians. `cpuMs` is processor time: of the server on Postgres, of the whole process on SQLite. */
  ms: number;
  cpuMs: number;
}

export interface Pair {
  small: Cost;
  large: Cost;
}

export interface GrowthCost {
  what: string;
  kind: 'batch' | 'page' | 'other';
  /** With a thousand rows and with all of them, measured in turns. */
  alone: Pair;
  /** The same, while the large case has an old snapshot. */
  beside: Pair;
}

/**
 * The deletion of old runs when the history is shortened: on SQLite one day, in the service's steps but without its
 * pauses; on Postgres a partition, with its `days`.
 */
export interface DaysGone {
  isBesideSnapshot: boolean;
  days: number;
  rows: number;
  seconds: number;
}

export interface Growth {
  database: DatabaseName;
  finished: number;
  waiting: number;
  beside: number;
  /** Claims of one job beside the snapshot. Results of earlier commits have none. */
  claims?: number;
  bytes: number;
  fillSeconds: number;
  costs: GrowthCost[];
  gone: DaysGone[];
}

const SMALL = 1_000;
const QUEUES = 10;
const SLOTS_OF_QUEUE = 10;
const BATCH = QUEUES * SLOTS_OF_QUEUE;
const WARM_UP = 10;
const PAGE_RUNS = 7;
/**
 * How many calls it takes until each connection of a pool has planned its prepared statements, which needs several
 * calls.
 */
const PAGE_WARM_UP = 20;
const DAYS = HISTORY_DAYS;
const DAY_MS = 86_400_000;
const URL = 'http://127.0.0.1:9/quiet';
/** The largest step of retention that the service makes. */
const RETENTION_STEP = { sqlite: 2_000, postgres: 5_000 };

interface Case {
  place: string;
  store: OpenedStore;
  work: Work;
  teamId: string;
  nodeId: string;
  /** The due time from which the next claim searches, by queue, as in the engine. */
  from: Map<string, number>;
  /** The id of a finished job in the middle of the history. */
  jobId: string;
  samples: Map<string, Cost[]>;
  batches: number;
}

export async function measureGrowth(places: Places, options: GrowthOptions): Promise<Growth[]> {
  const results: Growth[] = [];
  for (const database of DATABASES) {
    if (options.only !== null && options.only !== database) continue;
    const finished = database === 'SQLite' ? options.finished / 4 : options.finished;
    results.push(await measureOn(places, database, { ...options, finished }));
  }
  return results;
}

async function measureOn(
  places: Places,
  database: DatabaseName,
  { finished, waiting, batches, beside, claims }: GrowthOptions,
): Promise<Growth> {
  const say = (text: string) => process.stdout.write(`  ${database}: ${text}\n`);
  const small = await makeCase(await places.make(database), SMALL, SMALL);
  const filledFrom = performance.now();
  const large = await makeCase(await places.make(database), finished, waiting);
  const fillSeconds = (performance.now() - filledFrom) / 1000;
  const bytes = await sizeOf(large.store);
  const size = `${(bytes / 1e9).toFixed(2)} GB`;
  say(`${finished} finished, ${waiting} waiting in ${fillSeconds.toFixed(0)} s, ${size}`);
  const alone = await measureInTurns(small, large, batches);
  const oneAlone = await measureSmallClaims(small, large, batches);
  const gone = [await letGo(large, 1, false)];
  const snapshot = await openSnapshot(large.place);
  for (let n = 0; n < beside / BATCH; n++) await runBatch(large);
  for (let n = 0; n < claims / QUEUES; n++) await runBatch(large, claimOneEach);
  const then = await measureInTurns(small, large, batches);
  const oneThen = await measureSmallClaims(small, large, batches);
  gone.push(await letGo(large, 2, true));
  await snapshot.close();
  for (const { store } of [small, large]) await store.close();
  const costs = [...alone].map(([what, pair]): GrowthCost => {
    const again = then.get(what);
    if (!again) throw new Error(`${what} was measured once`);
    return { what, kind: kindOf(what), alone: pair, beside: again };
  });
  costs.push({ what: claimOneEach.what, kind: 'batch', alone: oneAlone, beside: oneThen });
  for (const each of costs) say(describe(each));
  for (const { days, rows, seconds } of gone)
    say(`${days} days of ${rows} rows gone in ${seconds.toFixed(2)} s`);
  return { database, finished, waiting, beside, claims, bytes, fillSeconds, costs, gone };
}

function describe({ what, alone, beside }: GrowthCost): string {
  const each = ({ ms, cpuMs }: Cost) => `${ms.toFixed(1)} (${cpuMs.toFixed(1)})`;
  const pair = ({ small, large }: Pair) => `${each(small)} -> ${each(large)}`;
  return `${what.padEnd(36)} ${pair(alone)}, beside the snapshot ${pair(beside)} ms (of processor)`;
}

const HOT = new Set(['claim', 'settle', 'accept']);

function kindOf(what: string): GrowthCost['kind'] {
  if (HOT.has(what)) return 'batch';
  return what === RESCAN || what === ADDING_UP ? 'other' : 'page';
}

async function makeCase(place: string, finished: number, waiting: number): Promise<Case> {
  const store = await openBenchStore(place);
  const now = store.clock.now();
  const team = await store.teams.create('Bench', 'unlimited', now);
  const queueIds: string[] = [];
  for (let n = 0; n < QUEUES; n++) {
    const { id } = await store.queues.save(team.id, `queue ${n}`, {}, now);
    queueIds.push(id);
  }
  const nodeId = await store.nodes.join(now, DAY_MS);
  const firstDueAt = now - 2 * 3_600_000;
  const made: Case = {
    place,
    store,
    work: createWork({ store }),
    teamId: team.id,
    nodeId,
    from: new Map(queueIds.map((id) => [id, 0])),
    jobId: '',
    samples: new Map(),
    batches: 0,
  };
  // A batch while the tables are empty leaves the plans that a young installation has.
  await runBatch(made);
  const rows = { teamId: team.id, queueIds, url: URL };
  const history = { firstDueAt: now - DAYS * DAY_MS, stepMs: ((DAYS - 1) * DAY_MS) / finished };
  const ended = { ...rows, ...history, count: finished, isFinished: true, withFailures: true };
  await withoutIndexes(made, async () => {
    await insertJobs(store, ended);
    await insertJobs(store, { ...rows, firstDueAt, count: waiting, isFinished: false });
  });
  for (const id of queueIds) made.from.set(id, firstDueAt);
  const middle = { tab: 'completed', to: now - (DAYS / 2) * DAY_MS } as const;
  made.jobId = (await made.work.searchJobs(team.id, middle)).rows[0]?.id ?? '';
  return made;
}

/**
 * Fills tables and builds their indexes afterwards, which takes a third of the time; on Postgres only, on a connection
 * without a time limit. Then it vacuums, which would otherwise start by itself during the measurement, after enough new
 * rows.
 */
async function withoutIndexes({ place, store }: Case, fill: () => Promise<void>): Promise<void> {
  if (store.dialect === 'sqlite') return fill();
  const client = new Client({ connectionString: place });
  await client.connect();
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid in ('jobs'::regclass, 'ended_jobs'::regclass) and not indisunique`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  await client.query(`set maintenance_work_mem = '1GB'`);
  // Postgres prints the index of a partitioned table with ONLY, which would leave its partitions out.
  for (const { definition } of rows) await client.query(definition.replace(' ON ONLY ', ' ON '));
  for (const text of ['vacuum analyze', 'checkpoint']) await client.query(text);
  await client.end();
}

async function sizeOf({ dialect, database }: Store): Promise<number> {
  const text =
    dialect === 'postgres'
      ? 'select pg_database_size(current_database()) as bytes'
      : 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()';
  const asked: CompiledQuery<{ bytes: number }> = CompiledQuery.raw(text);
  return (await database.autocommit(asked))[0]?.bytes ?? Number.NaN;
}

/** Measures both in turns, so that a busy moment of the machine affects both. */
async function measureInTurns(
  small: Case,
  large: Case,
  batches: number,
): Promise<Map<string, Pair>> {
  for (let n = 0; n < PAGE_WARM_UP; n++) for (const each of [small, large]) await askPages(each);
  for (let n = 0; n < batches + WARM_UP; n++) {
    for (const each of [small, large]) {
      await runBatch(each);
      if (n < WARM_UP) each.samples.clear();
    }
  }
  for (let n = 0; n < PAGE_RUNS; n++) {
    for (const each of [small, large]) await askPages(each);
  }
  const whats = [...large.samples.keys()];
  return new Map(
    whats.map((what) => [what, { small: costOf(small, what), large: costOf(large, what) }]),
  );
}

/** Measures claims of one job each, which cost as much as what a claim costs by itself. */
async function measureSmallClaims(small: Case, large: Case, batches: number): Promise<Pair> {
  for (const { samples } of [small, large]) samples.clear();
  for (let n = 0; n < batches; n++) {
    for (const each of [small, large]) await runBatch(each, claimOneEach);
  }
  const { what } = claimOneEach;
  return { small: costOf(small, what), large: costOf(large, what) };
}

interface WayToClaim {
  what: string;
  /** The slots of each claim. */
  slots: number;
  /** How many queues one claim asks. */
  queues: number;
}

const claimTogether: WayToClaim = { what: 'claim', slots: SLOTS_OF_QUEUE, queues: QUEUES };
const claimOneEach: WayToClaim = { what: `${QUEUES} claims of one job`, slots: 1, queues: 1 };

/** Claims jobs, settles them, and adds as many, so that the backlog stays the same. */
async function runBatch(
  each: Case,
  { what, slots, queues }: WayToClaim = claimTogether,
): Promise<void> {
  const { store, teamId, nodeId, from } = each;
  const { runs, batchCounts } = store.forEngine;
  const now = store.clock.now();
  const claimant = { nodeId, now, limits: NO_LIMITS };
  const asked = [...from].map(([id, at]) => ({ id, slots, from: at }));
  const claims = Array.from({ length: QUEUES / queues }, (_, n) =>
    asked.slice(n * queues, (n + 1) * queues),
  );
  const made = await spend(each, what, () =>
    Promise.all(claims.map((some) => runs.claimJobs(some, claimant))),
  );
  const claimed = made.flatMap((claim) => claim.claimed);
  for (const { id, nextDueAt } of made.flatMap(({ flows }) => flows)) {
    from.set(id, Math.min(nextDueAt ?? now, now));
  }
  await spend(each, 'settle', () =>
    Promise.all(claimed.map((job) => runs.settle(nodeId, settlementOf(store, job)))),
  );
  if (++each.batches % BATCHES_TO_ADD_UP === 0) {
    await spend(each, ADDING_UP, () => batchCounts.addUp(1_000));
  }
  const job = (n: number) => ({
    teamId,
    queue: `queue ${n % QUEUES}`,
    method: 'POST' as const,
    url: URL,
    headers: [],
    payload: '{"hello":"world","n":12345}',
    callbackUrl: null,
    delaySeconds: 0,
  });
  await spend(each, 'accept', () =>
    Promise.all(Array.from({ length: slots * QUEUES }, (_, n) => store.jobs.accept(job(n)))),
  );
}

const RESCAN = 'rescan of all that waits';
const ADDING_UP = 'adding up the counts of 10 batches';
const BATCHES_TO_ADD_UP = 10;

async function askPages(each: Case): Promise<void> {
  const { store, work, teamId, jobId } = each;
  const search = (what: string, wanted: JobSearch) =>
    spend(each, what, () => work.searchJobs(teamId, wanted));
  const tabs = ['all', 'pending', 'retrying', 'completed', 'failed'] as const;
  for (const tab of tabs) await search(`list: ${tab}`, { tab });
  await search('search by id', { tab: 'all', id: jobId });
  await search('search by status 503', { tab: 'failed', statusCode: 503 });
  await search('search by a status that is nowhere', { tab: 'completed', statusCode: 207 });
  await search('search by a text that is nowhere', { tab: 'all', payloadText: 'needle' });
  await search('search by a URL that is nowhere', { tab: 'all', urlPrefix: 'https://nowhere' });
  await spend(each, 'counts of tabs', () => work.countTabs(teamId));
  await spend(each, 'failures of a week', () => work.groupFailures(teamId));
  await spend(each, 'overview', () => work.readOverview(teamId));
  await spend(each, 'page of a job', () => work.readJobDetail(teamId, jobId));
  const { runs } = store.forEngine;
  runs.missedSignals();
  await spend(each, RESCAN, () => runs.scanQueues());
}

async function spend<T>(
  { place, samples, store }: Case,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const database = new globalThis.URL(place, 'file:').pathname.slice(1);
  const isServer = store.dialect === 'postgres';
  const backends = isServer ? readBackends(database) : new Map<number, number>();
  const own = process.cpuUsage();
  const startedAt = performance.now();
  const result = await work();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(own);
  const cpuMs = isServer ? backendMsSince(backends, database) : (user + system) / 1000;
  samples.set(what, [...(samples.get(what) ?? []), { ms, cpuMs }]);
  return result;
}

function costOf({ samples }: Case, what: string): Cost {
  const all = samples.get(what) ?? [];
  return { ms: median(all.map(({ ms }) => ms)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) };
}

/** Opens a transaction with a snapshot of the present, like a long `pg_dump` or a forgotten `psql`. */
async function openSnapshot(place: string): Promise<{ close: () => Promise<void> }> {
  if (locationOf(place).kind === 'sqlite') {
    const reader = new DatabaseSync(place, { readOnly: true });
    reader.exec('begin; select count(*) from teams');
    return { close: async () => reader.close() };
  }
  const client = new Client({ connectionString: place });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from teams');
  return { close: () => client.end() };
}

/** @param nth  1 for the first shortening of this history, 2 for the second, and so on */
async function letGo(each: Case, nth: number, isBesideSnapshot: boolean): Promise<DaysGone> {
  const { store } = each;
  const days = store.dialect === 'postgres' ? daysOfPartition(DAYS) : 1;
  const before = store.dialect === 'postgres' ? await countEnded(store) : 0;
  const startedAt = performance.now();
  let rows = await deleteOlder(each, DAYS - nth * days);
  const seconds = (performance.now() - startedAt) / 1000;
  if (store.dialect === 'postgres') rows = before - (await countEnded(store));
  return { isBesideSnapshot, days, rows, seconds };
}

async function deleteOlder({ store }: Case, historyDays: number): Promise<number> {
  const limit = RETENTION_STEP[store.dialect];
  const now = store.clock.now();
  await store.retention.keepPartitions(now, { historyDays });
  for (let rows = 0; ;) {
    const gone = await store.retention.deleteSome('jobs', { now, historyDays, limit });
    rows += gone;
    if (gone < limit) return rows;
    await delay(0);
  }
}

/** Counts the ended jobs, which are dropped by the partition or deleted. */
async function countEnded({ database }: Store): Promise<number> {
  const asked: CompiledQuery<{ rows: number }> = CompiledQuery.raw(
    'select count(*) as rows from ended_jobs',
  );
  return (await database.autocommit(asked))[0]?.rows ?? Number.NaN;
}
