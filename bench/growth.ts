/**
 * The cost of claims, settlements, acceptances, pages, a rescan and retention with millions of runs stored, compared
 * with a thousand runs; with `--snapshot` beside an old snapshot.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { NO_LIMITS } from '#store/figures/usage';
import { daysOfPartition } from '#store/retention/partitions';
import type { ClaimedJob } from '#store/runs/claims';
import type { OpenedStore, Store } from '#store/store';
import type { JobSearch } from '#work/bulk-actions';
import { createWork, type Work } from '#work/work';
import { HISTORY_DAYS, locationOf, openBenchStore } from './belfry.ts';
import { insertJobs, STORED_BODY, STORED_TRACE } from './bulk.ts';
import { connect, type DatabaseName, type Places } from './place.ts';
import { backendMsSince, readBackends } from './processor-time.ts';
import { format, median, ms, section, table } from './table.ts';

interface GrowthOptions {
  /** On Postgres; SQLite has a quarter of them. */
  finished: number;
  waiting: number;
  batches: number;
  /** Whether a transaction is open while `RUNS_MEANWHILE` runs come and go. */
  hasSnapshot: boolean;
}

const SMALL = 1_000;
const RUNS_MEANWHILE = 100_000;
const QUEUES = 10;
const SLOTS_OF_QUEUE = 10;
const BATCH = QUEUES * SLOTS_OF_QUEUE;
const WARM_UP = 10;
const PAGE_RUNS = 7;
/** So many calls until each connection of a pool has planned its prepared statements, which needs several calls. */
const PAGE_WARM_UP = 20;
const DAY_MS = 86_400_000;
const URL = 'http://127.0.0.1:9/quiet';
const JOB = {
  method: 'POST',
  url: URL,
  headers: [],
  callbackUrl: null,
  delaySeconds: 0,
  actor: 'billing (service account)',
} as const;
/** The largest step of retention that the service makes. */
const RETENTION_STEP = { sqlite: 2_000, postgres: 5_000 };
const BATCH_BOUND = 1.2;
const PAGE_BOUND_MS = 100;

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
  /** Milliseconds of processor time: of the server on Postgres, of the whole process on SQLite. */
  samples: Map<string, number[]>;
  batches: number;
}

export async function measureGrowth(
  places: Places,
  databases: readonly DatabaseName[],
  options: GrowthOptions,
): Promise<string> {
  const parts: string[] = [];
  for (const database of databases) {
    const finished = database === 'SQLite' ? options.finished / 4 : options.finished;
    parts.push(await measureOn(places, database, { ...options, finished }));
  }
  const snapshot = options.hasSnapshot ? ' next to an old snapshot' : '';
  const intro = [
    'Medians of processor time: of the server on Postgres, of the whole process on SQLite. Each measurement alternates between a database with a thousand runs and the large one. A claim, a settlement and an acceptance have 100 jobs each.',
    ...parts,
  ];
  const bounds = [
    ['claims, settlements, acceptances', `ratio of ${BATCH_BOUND}`],
    ['pages', ms(PAGE_BOUND_MS)],
  ];
  return section(`With millions of runs${snapshot}`, intro, ['', 'bound'], bounds);
}

async function measureOn(places: Places, database: DatabaseName, options: GrowthOptions) {
  const { finished, waiting, batches, hasSnapshot } = options;
  const small = await makeCase(await places.make(database), SMALL, SMALL);
  const large = await makeCase(await places.make(database), finished, waiting);
  const gigabytes = ((await readNumber(large.store, SIZE[large.store.dialect])) / 1e9).toFixed(1);
  const title = `### ${database}: ${format(finished)} finished, ${format(waiting)} waiting, ${gigabytes} GB`;
  process.stdout.write(`  ${title}\n`);
  const snapshot = hasSnapshot ? await openSnapshot(large.place) : null;
  if (snapshot) {
    for (let n = 0; n < RUNS_MEANWHILE / BATCH; n++) await runBatch(large);
    large.samples.clear();
  }
  await measureInTurns(small, large, batches);
  const rows = [...large.samples.keys()].map((what) => {
    const [few, all] = [small, large].map((each) => median(each.samples.get(what) ?? []));
    const [before = Number.NaN, now = Number.NaN] = [few, all];
    const isMissed = HOT.has(what)
      ? now / before > BATCH_BOUND
      : !OTHERS.has(what) && now > PAGE_BOUND_MS;
    return [what, ms(before), ms(now), (now / before).toFixed(2), isMissed ? 'missed' : ''];
  });
  const retention = await letGo(large);
  await snapshot?.close();
  for (const { store } of [small, large]) await store.close();
  const head = ['', 'a thousand', 'all', 'ratio', 'missed'];
  return [title, '', table(head, rows), '', retention].join('\n');
}

const HOT = new Set(['claim', 'settle', 'accept']);
const RESCAN = 'scan of all waiting runs';
const BATCHES_TO_ADD_UP = 10;
const ADDING_UP = `adding up the counts of ${BATCHES_TO_ADD_UP} batches`;
/** They have no bound. */
const OTHERS = new Set([RESCAN, ADDING_UP]);

async function makeCase(place: string, finished: number, waiting: number): Promise<Case> {
  const store = await openBenchStore(place);
  const now = store.clock.now();
  const team = await store.teams.create('Bench', 'unlimited', now);
  const queueIds: string[] = [];
  for (let n = 0; n < QUEUES; n++) {
    const { id } = await store.queues.save(team.id, `queue ${n}`, {}, now);
    queueIds.push(id);
  }
  const made: Case = {
    place,
    store,
    work: createWork({ store }),
    teamId: team.id,
    nodeId: await store.nodes.join(now, DAY_MS),
    from: new Map(queueIds.map((id) => [id, 0])),
    jobId: '',
    samples: new Map(),
    batches: 0,
  };
  // A batch while the tables are empty leaves the plans that a young installation has.
  await runBatch(made);
  const rows = { teamId: team.id, queueIds, url: URL };
  const span = HISTORY_DAYS * DAY_MS;
  const history = { firstDueAt: now - span, stepMs: (span - DAY_MS) / finished };
  const firstDueAt = now - 2 * 3_600_000;
  await withoutIndexes(made, async () => {
    await insertJobs(store, { ...rows, ...history, count: finished, isFinished: true });
    await insertJobs(store, { ...rows, firstDueAt, count: waiting, isFinished: false });
  });
  for (const id of queueIds) made.from.set(id, firstDueAt);
  const middle = { tab: 'completed', to: now - span / 2 } as const;
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
  const client = await connect(place);
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

async function readNumber({ database }: Store, text: string): Promise<number> {
  const [row] = await database.autocommit<{ number: number }>(text);
  return Number(row?.number);
}

const SIZE = {
  postgres: 'select pg_database_size(current_database()) as number',
  sqlite: 'select page_count * page_size as number from pragma_page_count(), pragma_page_size()',
};

/** Measures both in turns, so that a busy moment of the machine affects both. */
async function measureInTurns(small: Case, large: Case, batches: number): Promise<void> {
  const cases = [small, large];
  for (let n = 0; n < PAGE_WARM_UP; n++) for (const each of cases) await askPages(each);
  for (let n = 0; n < WARM_UP; n++) for (const each of cases) await runBatch(each);
  for (const { samples } of cases) samples.clear();
  for (let n = 0; n < batches; n++) for (const each of cases) await runBatch(each);
  for (let n = 0; n < PAGE_RUNS; n++) for (const each of cases) await askPages(each);
}

/** Claims jobs, settles them, and adds as many, so that the backlog stays the same. */
async function runBatch(each: Case): Promise<void> {
  const { store, teamId, nodeId, from } = each;
  const { runs, batchCounts } = store.forEngine;
  const now = store.clock.now();
  const claimant = { nodeId, now, limits: NO_LIMITS };
  const asked = [...from].map(([id, at]) => ({ id, slots: SLOTS_OF_QUEUE, from: at }));
  const { claimed, groups } = await spend(each, 'claim', () => runs.claimJobs(asked, claimant));
  for (const { id, nextDueAt } of groups) from.set(id, Math.min(nextDueAt ?? now, now));
  await spend(each, 'settle', () =>
    Promise.all(claimed.map((job) => runs.settle(nodeId, settlementOf(store, job)))),
  );
  if (++each.batches % BATCHES_TO_ADD_UP === 0) {
    await spend(each, ADDING_UP, () => batchCounts.addUp(1_000));
  }
  const job = (n: number) => ({ ...JOB, teamId, queue: `queue ${n % QUEUES}`, payload: '{"n":1}' });
  await spend(each, 'accept', () =>
    Promise.all(Array.from({ length: BATCH }, (_, n) => store.jobs.accept(job(n)))),
  );
}

/** The settlement of a successful job with a response. */
function settlementOf(store: Store, job: ClaimedJob) {
  const result = { responseStatus: 200, reason: null, errorMessage: null, durationMs: 4 };
  const end = { completedAt: store.clock.now(), ...result };
  // As large as the stored bodies: a smaller one would fill up old pages, and write one more page for each.
  const body = Buffer.from(STORED_BODY);
  const response = { body, totalBytes: body.length, trace: STORED_TRACE };
  const nothing = { next: null, callback: null, alert: null };
  return { run: job, status: 'success', end, response, ...nothing } as const;
}

async function askPages(each: Case): Promise<void> {
  const { store, work, teamId, jobId } = each;
  const search = (what: string, wanted: JobSearch) =>
    spend(each, what, () => work.searchJobs(teamId, wanted));
  for (const tab of ['all', 'pending', 'retrying', 'completed', 'failed'] as const)
    await search(`list: ${tab}`, { tab });
  await search('search by id', { tab: 'all', id: jobId });
  await search('search by status 503', { tab: 'failed', statusCode: 503 });
  await search("search by a status that doesn't occur", { tab: 'completed', statusCode: 207 });
  await search("search by a text that doesn't occur", { tab: 'all', payloadText: 'needle' });
  await search("search by a URL that doesn't occur", { tab: 'all', urlPrefix: 'https://nowhere' });
  await spend(each, 'counts of tabs', () => work.countTabs(teamId));
  await spend(each, 'failures of a week', () => work.groupFailures(teamId));
  await spend(each, 'overview', () => work.readOverview(teamId));
  await spend(each, 'page of a job', () => work.readJobDetail(teamId, jobId));
  const { runs } = store.forEngine;
  runs.missedSignals();
  await spend(each, RESCAN, () => runs.scanQueues());
}

async function spend<T>(each: Case, what: string, work: () => Promise<T>): Promise<T> {
  const { place, samples, store } = each;
  const database = new globalThis.URL(place, 'file:').pathname.slice(1);
  const isServer = store.dialect === 'postgres';
  const backends = isServer ? readBackends(database) : new Map<number, number>();
  const own = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(own);
  const cpuMs = isServer ? backendMsSince(backends, database) : (user + system) / 1000;
  samples.set(what, [...(samples.get(what) ?? []), cpuMs]);
  return result;
}

/** Opens a transaction with a snapshot of the present, like a long `pg_dump` or a forgotten `psql`. */
async function openSnapshot(place: string) {
  if (locationOf(place).kind === 'sqlite') {
    const reader = new DatabaseSync(place, { readOnly: true });
    reader.exec('begin; select count(*) from teams');
    return { close: async () => reader.close() };
  }
  const client = await connect(place);
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from teams');
  return { close: () => client.end() };
}

/**
 * Shortens the history: on SQLite by a day, in the service's steps but without its pauses; on Postgres by a partition.
 */
async function letGo({ store }: Case): Promise<string> {
  const days = store.dialect === 'postgres' ? daysOfPartition(HISTORY_DAYS) : 1;
  const count = () => readNumber(store, 'select count(*) as number from ended_jobs');
  const before = await count();
  const limit = RETENTION_STEP[store.dialect];
  const past = { now: store.clock.now(), historyDays: HISTORY_DAYS - days };
  const startedAt = performance.now();
  await store.retention.keepPartitions(past.now, past);
  while ((await store.retention.deleteSome('jobs', { ...past, limit })) === limit) await delay(0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const rows = format(before - (await count()));
  return `Retention: ${rows} rows of ${days} ${days === 1 ? 'day' : 'days (a partition)'} in ${seconds} s (bound: 5 s).`;
}
