/** How many jobs per second the service answers with 201, each durable by then, over 64 connections. */
import { Pool } from 'undici';
import { startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { DATABASES, type DatabaseName, type Places } from './place.ts';

export interface Accepting {
  database: DatabaseName;
  jobs: number;
  perSecond: number;
  medianMs: number;
  p99Ms: number;
  refused: number;
}

const CONNECTIONS = 64;

export async function measureAccepting(places: Places, jobs: number): Promise<Accepting[]> {
  const results: Accepting[] = [];
  for (const database of DATABASES) {
    const place = await places.make(database);
    const databaseUrl = database === 'SQLite' ? `sqlite:${place}` : place;
    const env = { PLANS: 'unlimited=unlimited', LOG_LEVEL: 'warn' };
    await using belfry = await startBelfry({ databaseUrl, env });
    const client = await makeClient(belfry);
    await postJobs(belfry, client, JOB, Math.min(jobs, 10_000));
    const result = { database, jobs, ...(await postJobs(belfry, client, JOB, jobs)) };
    client.close();
    results.push(result);
    process.stdout.write(
      `  ${database}: ${Math.round(result.perSecond)} a second, median ${result.medianMs.toFixed(1)} ms, 99 % ${result.p99Ms.toFixed(1)} ms\n`,
    );
  }
  return results;
}

const JOB = {
  queue: 'emails',
  url: 'https://example.com/hook',
  delay: 86_400,
  payload: { n: 1 },
};

/**
 * Posts the same job again and again over a number of connections; each posts the next one as soon as it has an answer.
 */
export async function postJobs(
  { url }: { url: string },
  { token }: { token: string },
  job: object,
  jobs: number,
) {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  const body = JSON.stringify(job);
  const took: number[] = [];
  let left = jobs;
  let refused = 0;
  const loop = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const answer = await pool.request({ path: '/api/jobs', method: 'POST', headers, body });
      await answer.body.dump();
      took.push(performance.now() - from);
      if (answer.statusCode !== 201) refused++;
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  const perSecond = (jobs / (performance.now() - from)) * 1000;
  await pool.close();
  took.sort((a, b) => a - b);
  return { perSecond, medianMs: at(took, 0.5), p99Ms: at(took, 0.99), refused };
}

/** @param sorted  smallest first */
export function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
