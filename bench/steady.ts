/** How late jobs arrive while a thousand a second come in and go out: the service, the target and the poster are processes of their own. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, startBelfry } from '#testing/process';
import { type Client, listJobs, makeClient, postJob } from '#testing/remote';
import { at } from './accepting.ts';
import { DATABASES, type DatabaseName, type Places } from './place.ts';
import type { Arrival, Target } from './target.ts';

export interface Lateness {
  database: DatabaseName;
  jobs: number;
  perSecond: number;
  arrived: number;
  twice: number;
  early: number;
  medianMs: number;
  p99Ms: number;
  maxMs: number;
}

const TICK_MS = 5;
/** Posted first and not counted: the poster, the service and the target become fast only after some work. */
const WARM_UP_SECONDS = 2;

export async function measureSteady(
  places: Places,
  target: Target,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Lateness[]> {
  const results: Lateness[] = [];
  for (const database of DATABASES) {
    const place = await places.make(database);
    const databaseUrl = database === 'SQLite' ? `sqlite:${place}` : place;
    const env = { PLANS: 'unlimited=unlimited', LOG_LEVEL: 'warn' };
    await using belfry = await startBelfry({ databaseUrl, env });
    const client = await makeClient(belfry);
    const jobs = perSecond * seconds;
    await postSteadily(client, `${target.url}/warm-up`, perSecond, perSecond * WARM_UP_SECONDS);
    const tookMs = await postSteadily(client, `${target.url}/steady`, perSecond, jobs);
    const arrivals = await collect(target, jobs);
    const due = new Map(
      (await listJobs(belfry)).map((job) => [
        new URL(job.url).pathname,
        Date.parse(job.scheduled_at),
      ]),
    );
    client.close();
    const late = arrivals.map(([path, when]) => when - (due.get(path) ?? Number.NaN));
    late.sort((a, b) => a - b);
    const result = {
      database,
      jobs,
      perSecond: (jobs / tookMs) * 1000,
      arrived: new Set(arrivals.map(([path]) => path)).size,
      twice: arrivals.length - new Set(arrivals.map(([path]) => path)).size,
      early: late.filter((ms) => ms < 0).length,
      medianMs: at(late, 0.5),
      p99Ms: at(late, 0.99),
      maxMs: at(late, 1),
    };
    results.push(result);
    process.stdout.write(
      `  ${database}: ${Math.round(result.perSecond)} a second, ${result.arrived} of ${jobs} arrived, median ${result.medianMs.toFixed(1)} ms, 99 % ${result.p99Ms.toFixed(1)} ms\n`,
    );
  }
  return results;
}

/** @returns how long it took until all were accepted, in milliseconds */
async function postSteadily(
  client: Client,
  url: string,
  perSecond: number,
  jobs: number,
): Promise<number> {
  const from = performance.now();
  const posted: Promise<string>[] = [];
  while (posted.length < jobs) {
    const due = Math.min(jobs, Math.floor(((performance.now() - from) * perSecond) / 1000));
    while (posted.length < due) {
      posted.push(postJob(client, { url: `${url}/${posted.length}`, delay: 1 }));
    }
    await delay(TICK_MS);
  }
  await Promise.all(posted);
  return performance.now() - from;
}

/** Collects arrivals until all jobs are there, and for a second more, to notice a job that is sent twice. */
async function collect(target: Target, jobs: number): Promise<Arrival[]> {
  const hasAll = async () => (await target.count('/steady')) >= jobs;
  await eventually(hasAll, { withinMs: 60_000, everyMs: 200 });
  await delay(1_000);
  const arrivals = await target.take('/steady');
  await target.forget();
  return arrivals;
}
