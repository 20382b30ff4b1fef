/**
 * Delivers N small POSTs to one local endpoint, from stored jobs to stored outcomes, and compares with the bare loop
 * and other libraries.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { JobName } from './contestant.ts';
import { type Delivered, runRound } from './round.ts';
import type { Places } from './place.ts';
import type { Target } from './target.ts';
import { format, median, micros, section, table } from './table.ts';

interface DeliveriesOptions {
  jobs: number;
  rounds: number;
  /** Only contestants whose name contains this. */
  only: string | null;
}

/** About as many as one queue of Belfry has at once by default. */
const CONCURRENCY = 340;
const BARE = 'bare undici loop';
const OWN_EXCHANGE = "bare loop of Belfry's exchange";
const PEERS = path.join(import.meta.dirname, 'peers');

type Entry = ReturnType<typeof entries>[number];

function entries(places: Places) {
  const own = (file: string) => path.join(import.meta.dirname, file);
  const postgres = async () => {
    const place = await places.make('Postgres');
    return { place, serverPid: await places.postgresPid() };
  };
  const sqlite = async () => ({ place: await places.make('SQLite'), serverPid: null });
  const nowhere = () => Promise.resolve({ place: '', serverPid: null });
  const all = {
    [BARE]: { file: own('bare.ts'), place: nowhere },
    [OWN_EXCHANGE]: { file: own('bare-exchange.ts'), place: nowhere },
    'Belfry on Postgres': { file: own('belfry.ts'), place: postgres },
    'Belfry on SQLite': { file: own('belfry.ts'), place: sqlite },
    'graphile-worker': { file: own('peers/graphile-worker.ts'), place: postgres },
    'pg-boss': { file: own('peers/pg-boss.ts'), place: postgres },
  };
  const withJob = (job: JobName) =>
    Object.entries(all).map(([name, { file, place }]) => ({ name, file, place, job }));
  return [...withJob('small'), ...withJob('usual').filter(({ file }) => !file.startsWith(PEERS))];
}

export async function measureDeliveries(
  places: Places,
  target: Target,
  { jobs, rounds, only }: DeliveriesOptions,
): Promise<string> {
  const skipped: string[] = [];
  const hasPeers = fs.existsSync(path.join(PEERS, 'node_modules'));
  const taking = entries(places).filter(({ name, file }) => {
    const isWanted = only === null || name.toLowerCase().includes(only.toLowerCase());
    if (name !== BARE && !isWanted) return false;
    if (!file.startsWith(PEERS) || hasPeers) return true;
    skipped.push(`${name}: not installed (npm ci --prefix bench/peers)`);
    return false;
  });
  const results = new Map<Entry, Delivered[]>();
  for (let turn = 0; turn < rounds; turn++) {
    for (const entry of taking) {
      const { name, file, place, job } = entry;
      const targetUrl = `${target.url}/quiet`;
      const round = { jobs, targetUrl, concurrency: CONCURRENCY, job, ...(await place()) };
      const delivered = await runRound(file, round);
      results.set(entry, [...(results.get(entry) ?? []), delivered]);
      report(job === 'small' ? name : `${name}, usual job`, delivered);
    }
  }
  return describe(summarise(results), skipped, { jobs, rounds });
}

function describe(
  contestants: ReturnType<typeof summarise>,
  skipped: readonly string[],
  { jobs, rounds }: { jobs: number; rounds: number },
): string {
  const costs = ['process', 'database', 'without the client'];
  const head = ['', 'of the bare undici loop', 'a second', ...costs];
  const rowsOf = (job: JobName) =>
    contestants
      .filter((each) => each.job === job)
      .map(({ name, ofBare, perSecond, spent }) => {
        return [name, ofBare.toFixed(2), format(perSecond)].concat(spent.map(micros));
      });
  const intro = [
    `${format(jobs)} small POSTs to one local endpoint, ${CONCURRENCY} at once; medians of ${rounds} rounds in which all programs take turns.`,
    table(head, rowsOf('small')),
    'Belfry runs with its 512 default slots, of which one queue gets 341, without a rate, and with its own HTTP client. The others run 340 jobs at once and send with undici. "Process" and "database" are processor time per delivery. The last column is their sum without the HTTP client\'s bare loop: the cost of the queue alone.',
    'A typical job has a payload of 1 KB, three headers (one of them secret), a signing secret, an assertion and a callback, with metrics on. So each job is two requests.',
    ...skipped.map((what) => `Skipped: ${what}.`),
  ];
  return section('Deliveries', intro, head, rowsOf('usual'));
}

function report(name: string, { perSecond, cpuMicros, serverMicros }: Delivered): void {
  const processor = `${cpuMicros.toFixed(0)} + ${serverMicros.toFixed(0)} µs of processor a job`;
  const figures = `${Math.round(perSecond)} a second, ${processor}`;
  process.stdout.write(`  ${name}: ${figures}\n`);
}

function summarise(results: ReadonlyMap<Entry, Delivered[]>) {
  const roundsOf = (wanted: string, job: JobName) =>
    [...results].find(([entry]) => entry.name === wanted && entry.job === job)?.[1] ?? [];
  return [...results].map(([{ name, job }, rounds]) => {
    const bare = roundsOf(BARE, job);
    const client = roundsOf(name.includes('Belfry') ? OWN_EXCHANGE : BARE, job);
    const cpuMicros = median(rounds.map((each) => each.cpuMicros));
    const serverMicros = median(rounds.map((each) => each.serverMicros));
    const clientMicros = median(client.map((each) => each.cpuMicros));
    const shares = rounds.map(({ perSecond }, n) => perSecond / (bare[n]?.perSecond ?? Number.NaN));
    return {
      name,
      job,
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      /** Relative to the bare loop of the same round; the median over the rounds. */
      ofBare: median(shares),
      /**
       * Processor time in microseconds per job: of its process, of its database server, and of both without that of the
       * contestant's HTTP client, as its bare loop measures it.
       */
      spent: [cpuMicros, serverMicros, cpuMicros + serverMicros - clientMicros],
    };
  });
}
