/** The cost of one batch of claims and settlements, by how many jobs wait and how many have finished. */
import { CompiledQuery } from 'kysely';
import type { ClaimedJob } from '#store/runs/claims';
import type { OpenedStore, Store } from '#store/store';
import { openBenchStore } from './belfry.ts';
import { insertJobs, STORED_BODY, STORED_TRACE } from './bulk.ts';
import { median } from './deliveries.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';
import { NO_LIMITS } from '#store/figures/usage';

export interface BatchCost {
  database: DatabaseName;
  waiting: number;
  finished: number;
  /** Medians of one batch of `BATCH` jobs. */
  claimMs: number;
  settleMs: number;
  /** Relative to the cost of the same batch with 1,000 waiting jobs and none finished. */
  ratio: number;
}

const BATCH = 100;
const WARM_UP = 10;
const HOUR_MS = 3_600_000;
const URL = 'http://127.0.0.1:9/quiet';

interface Case {
  store: OpenedStore;
  waiting: number;
  finished: number;
  teamId: string;
  queueId: string;
  nodeId: string;
  /** The due time from which the next claim searches: as in the engine, where the last one ended. */
  from: number;
  claims: number[];
  settles: number[];
}

export async function measureBatches(
  places: Places,
  { most, batches }: { most: number; batches: number },
): Promise<BatchCost[]> {
  const costs: BatchCost[] = [];
  for (const database of DATABASES)
    costs.push(...(await measureOn(places, database, most, batches)));
  return costs;
}

/** Measures all cases batch by batch in turns, so that a busy moment of the machine affects all of them. */
async function measureOn(
  places: Places,
  database: DatabaseName,
  most: number,
  batches: number,
): Promise<BatchCost[]> {
  const cases: Case[] = [];
  for (const [waiting, finished] of [
    [1_000, 0],
    [most / 10, 0],
    [most, 0],
    [1_000, most],
  ] as const) {
    cases.push(await makeCase(await places.make(database), waiting, finished));
    process.stdout.write(`  ${database}: ${waiting} waiting, ${finished} finished are there\n`);
  }
  for (let n = 0; n < batches + WARM_UP; n++) {
    for (const each of cases) await runBatch(each, n >= WARM_UP);
  }
  for (const { store } of cases) await store.close();
  const costOf = ({ claims, settles }: Case) => median(claims) + median(settles);
  const least = cases[0] ? costOf(cases[0]) : Number.NaN;
  const costs = cases.map((each) => ({
    database,
    waiting: each.waiting,
    finished: each.finished,
    claimMs: median(each.claims),
    settleMs: median(each.settles),
    ratio: costOf(each) / least,
  }));
  costs.forEach(report);
  return costs;
}

function report({ database, waiting, finished, claimMs, settleMs, ratio }: BatchCost): void {
  const figures = `claim ${claimMs.toFixed(2)} ms, settle ${settleMs.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`;
  process.stdout.write(`  ${database}: ${waiting} waiting, ${finished} finished: ${figures}\n`);
}

async function makeCase(place: string, waiting: number, finished: number): Promise<Case> {
  const store = await openBenchStore(place);
  const now = store.clock.now();
  const team = await store.teams.create('Bench', 'unlimited', now);
  const queue = await store.queues.save(team.id, 'batches', {}, now);
  const ids = { teamId: team.id, queueId: queue.id };
  const rows = { teamId: team.id, queueIds: [queue.id], url: URL };
  // A batch while the tables are empty leaves the plans that a young installation has.
  const nodeId = await store.nodes.join(now, 24 * HOUR_MS);
  const made: Case = { store, waiting, finished, ...ids, nodeId, from: 0, claims: [], settles: [] };
  await runBatch(made, false);
  const firstDueAt = now - HOUR_MS;
  await insertJobs(store, { ...rows, count: finished, firstDueAt, isFinished: true });
  await insertJobs(store, { ...rows, count: waiting, firstDueAt, isFinished: false });
  made.from = firstDueAt;
  if (store.dialect === 'postgres') {
    // Otherwise both would start by themselves during the measurement, after enough new rows.
    for (const text of ['vacuum analyze', 'checkpoint'])
      await store.database.autocommit(CompiledQuery.raw(text));
  }
  return made;
}

async function runBatch(each: Case, counts: boolean): Promise<void> {
  const { store, nodeId, queueId } = each;
  const { runs } = store.forEngine;
  const claimant = { nodeId, now: store.clock.now(), limits: NO_LIMITS };
  const claimFrom = performance.now();
  const asked = [{ id: queueId, slots: BATCH, from: each.from }];
  const { claimed, flows } = await runs.claimJobs(asked, claimant);
  const settleFrom = performance.now();
  if (counts && claimed.length < BATCH) throw new Error(`a batch of only ${claimed.length}`);
  await Promise.all(claimed.map((job) => runs.settle(nodeId, settlementOf(store, job))));
  const until = performance.now();
  if (counts) {
    each.claims.push(settleFrom - claimFrom);
    each.settles.push(until - settleFrom);
  }
  // New jobs are due no earlier than now.
  each.from = Math.min(flows[0]?.nextDueAt ?? Infinity, claimant.now);
  await refill(each, Math.max(claimed.length, 1));
}

/** The settlement of a successful job with a response. */
export function settlementOf(store: Store, job: ClaimedJob) {
  const end = {
    completedAt: store.clock.now(),
    responseStatus: 200,
    reason: null,
    errorMessage: null,
    durationMs: 4,
  };
  // As large as the stored bodies: a smaller one would fill up old pages, and write one more page for each.
  const body = Buffer.from(STORED_BODY);
  const response = { body, totalBytes: body.length, trace: STORED_TRACE };
  return {
    run: job,
    status: 'success',
    end,
    response,
    next: null,
    callback: null,
    alert: null,
  } as const;
}

/** Adds as many jobs as were taken, so that the backlog stays the same. */
async function refill({ store, teamId }: Case, count: number): Promise<void> {
  const job = {
    teamId,
    queue: 'batches',
    method: 'POST' as const,
    url: URL,
    headers: [],
    payload: '{"hello":"world","n":12345}',
    callbackUrl: null,
    delaySeconds: 0,
  };
  await Promise.all(Array.from({ length: count }, () => store.jobs.accept(job)));
}
