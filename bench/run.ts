/**
 * `npm run bench`, or some parts of it: `npm run bench -- deliveries accepting`.
 *
 * Every part writes bench/results/<part>.json, and the page docs/performance.md is made anew from all of them.
 * Those that take long or a lot of room run only where they are named: `npm run bench -- growth --finished 20000000`.
 *
 * `--quick` takes a tenth of everything, to see that it works, and writes nothing unless `--write` is given.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measureAccepting } from './accepting.ts';
import { measureBatches } from './batches.ts';
import { measureCrons } from './crons.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureFlood } from './flood.ts';
import { measureGrowth } from './growth.ts';
import { measureMemory } from './memory.ts';
import { DATABASES, Places } from './place.ts';
import { writePage } from './report.ts';
import { measureSoak } from './soak.ts';
import { measureSteady } from './steady.ts';
import { startTarget, type Target } from './target.ts';

const RESULTS = path.join(import.meta.dirname, 'results');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean' },
    /** Deliveries: the number of rounds; below, a text that contestants' names must contain. */
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    /** Growth: the number of runs on Postgres; below, of runs and of claims of one job beside the old snapshot. */
    finished: { type: 'string', default: '2000000' },
    waiting: { type: 'string', default: '200000' },
    beside: { type: 'string', default: '100000' },
    claims: { type: 'string', default: '50000' },
    /** Soak: the minutes; below, the jobs per second, instead of half of full speed. */
    minutes: { type: 'string', default: '20' },
    rate: { type: 'string' },
    /** Growth and soak: one database alone, `SQLite` or `Postgres`. */
    database: { type: 'string' },
  },
});
const share = values.quick ? 10 : 1;
const writes = values.write ?? !values.quick;

type Part = (places: Places, target: Target) => Promise<unknown>;

/** In the order in which they run; each is bounded in time by its own limits. */
const PARTS: Record<string, Part> = {
  deliveries: (places, target) =>
    measureDeliveries(places, target, {
      jobs: 20_000 / share,
      rounds: values.quick ? 1 : Number(values.rounds),
      only: values.only ?? null,
    }),
  accepting: (places) => measureAccepting(places, 40_000 / share),
  steady: (places, target) =>
    measureSteady(places, target, { perSecond: 1_000, seconds: values.quick ? 2 : 10 }),
  batches: (places) =>
    measureBatches(places, { most: 1_000_000 / share, batches: values.quick ? 20 : 100 }),
  crons: (places, target) => measureCrons(places, target, 10_000 / share),
  flood: (places, target) => measureFlood(places, target, 100_000 / share),
  memory: (places) => measureMemory(places, 1_000_000 / share),
};

const only = DATABASES.find((each) => each === values.database) ?? null;
const LONG_PARTS: Record<string, Part> = {
  growth: (places) =>
    measureGrowth(places, {
      finished: Number(values.finished) / share,
      waiting: Number(values.waiting) / share,
      beside: Number(values.beside) / share,
      claims: Number(values.claims) / share,
      batches: values.quick ? 20 : 100,
      only,
    }),
  soak: (places, target) =>
    measureSoak(places, target, {
      minutes: Number(values.minutes) / share,
      perSecond: values.rate === undefined ? null : Number(values.rate),
      only,
    }),
};

const ALL_PARTS = { ...PARTS, ...LONG_PARTS };
const wanted = positionals.length === 0 ? Object.keys(PARTS) : positionals;
const unknown = wanted.filter((name) => !(name in ALL_PARTS));
if (unknown.length > 0) {
  process.stderr.write(
    `no part ${unknown.join(', ')}; there are ${Object.keys(ALL_PARTS).join(', ')}\n`,
  );
  process.exit(2);
}
process.exit(await run(wanted));

async function run(parts: readonly string[]): Promise<number> {
  const places = new Places();
  const target = await startTarget();
  let failed = 0;
  try {
    for (const name of parts) failed += (await runPart(name, places, target)) ? 0 : 1;
  } finally {
    target.close();
    await places.close();
  }
  if (writes) writePage(RESULTS);
  return failed === 0 ? 0 : 1;
}

async function runPart(name: string, places: Places, target: Target): Promise<boolean> {
  const loadBefore = os.loadavg();
  process.stdout.write(`${name} (load before: ${loadBefore[0]?.toFixed(2)})\n`);
  const from = performance.now();
  try {
    const result = await ALL_PARTS[name]?.(places, target);
    if (writes) writeResult(name, { machine: describeMachine(), loadBefore, result });
    for (const what of skippedIn(result)) process.stdout.write(`  skipped ${what}\n`);
    process.stdout.write(`  took ${Math.round((performance.now() - from) / 1000)} s\n`);
    return true;
  } catch (error) {
    process.stdout.write(`  FAILED: ${(error as Error).stack}\n`);
    return false;
  }
}

function skippedIn(result: unknown): readonly string[] {
  return (result as { skipped?: string[] } | null)?.skipped ?? [];
}

function writeResult(name: string, content: object): void {
  fs.mkdirSync(RESULTS, { recursive: true });
  const measuredAt = new Date().toISOString();
  const text = JSON.stringify({ part: name, measuredAt, ...content }, null, 2);
  fs.writeFileSync(path.join(RESULTS, `${name}.json`), `${text}\n`);
}

function describeMachine() {
  const [cpu] = os.cpus();
  return {
    processors: os.cpus().length,
    model: cpu?.model ?? '',
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
  };
}
