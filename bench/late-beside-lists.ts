/**
 * How late jobs start while people read lists: a steady stream of jobs, first alone, then beside searches without a
 * pause.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenedStore } from '#store/store';
import { eventually } from '#testing/process';
import { aNewJob } from '#testing/factories';
import { at } from './accepting.ts';
import { buildBenchEngine } from './belfry.ts';
import { startTarget, type Target } from './target.ts';

interface LateBesideLists {
  jobs: number;
  /** How many searches were answered meanwhile. */
  asked: number;
  medianMs: number;
  p99Ms: number;
  maxMs: number;
}

interface Stream {
  store: OpenedStore;
  teamId: string;
  perSecond: number;
  seconds: number;
}

/** How many readers search at once; each starts the next search as soon as the last is answered. */
const READERS = 2;
const SLOTS = 256;

/**
 * @param ask  runs one search; they are used in turn
 * @returns the lateness without searches and with them, in this order
 */
export async function measureLateBesideLists(
  stream: Stream,
  ask: readonly (() => Promise<unknown>)[],
): Promise<[LateBesideLists, LateBesideLists]> {
  const target = await startTarget();
  const { engine, sender } = buildBenchEngine(stream.store, SLOTS);
  await engine.start();
  try {
    const alone = await measure(stream, target, []);
    return [alone, await measure(stream, target, ask)];
  } finally {
    await engine.stop(5_000);
    await sender.close();
    target.close();
  }
}

async function measure(
  stream: Stream,
  target: Target,
  ask: readonly (() => Promise<unknown>)[],
): Promise<LateBesideLists> {
  const reading = read(ask);
  const due = await acceptSteadily(stream, target.url);
  await eventually(async () => (await target.count('/late')) >= due.size, { withinMs: 60_000 });
  const asked = await reading.stop();
  const arrivals = await target.take('/late');
  await target.forget();
  const late = arrivals.map(([path, when]) => when - (due.get(path) ?? Number.NaN));
  late.sort((a, b) => a - b);
  return {
    jobs: arrivals.length,
    asked,
    medianMs: at(late, 0.5),
    p99Ms: at(late, 0.99),
    maxMs: at(late, 1),
  };
}

/** @returns path → when it is due */
async function acceptSteadily(
  { store, teamId, perSecond, seconds }: Stream,
  url: string,
): Promise<Map<string, number>> {
  const due = new Map<string, number>();
  for (let n = 0; n < perSecond * seconds; n++) {
    const path = `/late/${n}`;
    const job = aNewJob(teamId, { queue: 'steady', url: `${url}${path}`, delaySeconds: 1 });
    due.set(path, (await store.jobs.accept(job)).scheduledAt);
    await delay(1000 / perSecond);
  }
  return due;
}

function read(ask: readonly (() => Promise<unknown>)[]) {
  const stop = new AbortController();
  let asked = 0;
  const goRound = async (from: number) => {
    for (let n = from; !stop.signal.aborted; n++) {
      const next = ask[n % ask.length];
      if (next === undefined) return;
      await next();
      asked++;
    }
  };
  const readers = Array.from({ length: READERS }, (_, n) => goRound(n * 7));
  return {
    stop: async () => {
      stop.abort();
      await Promise.all(readers);
      return asked;
    },
  };
}
