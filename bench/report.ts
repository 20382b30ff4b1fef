/**
 * Writes docs/performance.md and its plot from bench/results/. The part above the mark was written by hand and stays.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Accepting } from './accepting.ts';
import type { BatchCost } from './batches.ts';
import type { CronBurst } from './crons.ts';
import type { DeliveriesResult } from './deliveries.ts';
import type { Flood } from './flood.ts';
import type { Cost, Growth, GrowthCost } from './growth.ts';
import type { Memory } from './memory.ts';
import { drawBars } from './plot.ts';
import type { Soak, SoakStretch } from './soak.ts';
import type { Lateness } from './steady.ts';

interface Measured<Result> {
  part: string;
  measuredAt: string;
  machine: { processors: number; model: string; system: string; node: string };
  loadBefore: number[];
  result: Result;
}

const DOCS = path.join(path.dirname(import.meta.dirname), 'docs');
const PAGE = path.join(DOCS, 'performance.md');
const PLOT = path.join(DOCS, 'performance.svg');
const MARK = '<!-- Everything below is written by `npm run bench`. -->';

export function writePage(results: string): void {
  const written = fs.existsSync(PAGE)
    ? fs.readFileSync(PAGE, 'utf8')
    : `# Performance\n\n${MARK}\n`;
  const kept = written.slice(0, written.indexOf(MARK) + MARK.length);
  const sections = [
    section<DeliveriesResult>(results, 'deliveries', deliveries),
    section<Accepting[]>(results, 'accepting', accepting),
    section<Lateness[]>(results, 'steady', steady),
    section<BatchCost[]>(results, 'batches', batches),
    section<CronBurst[]>(results, 'crons', crons),
    section<Flood[]>(results, 'flood', flood),
    section<Memory[]>(results, 'memory', memory),
    section<Growth[]>(results, 'growth', growth),
    section<Soak[]>(results, 'soak', soak),
  ];
  fs.writeFileSync(PAGE, `${kept}\n\n${sections.filter((text) => text !== '').join('\n\n')}\n`);
}

function section<Result>(
  results: string,
  part: string,
  write: (result: Result) => string[],
): string {
  const file = path.join(results, `${part}.json`);
  if (!fs.existsSync(file)) return '';
  const measured = JSON.parse(fs.readFileSync(file, 'utf8')) as Measured<Result>;
  const { machine, loadBefore } = measured;
  const when = measured.measuredAt.slice(0, 10);
  const where = `${machine.processors} × ${machine.model}, ${machine.system}, Node ${machine.node}`;
  const load = `load before: ${loadBefore[0]?.toFixed(2)}`;
  return [
    ...write(measured.result),
    '',
    `_${when}, ${where}; ${load}; \`npm run bench -- ${part}\`_`,
  ].join('\n');
}

function deliveries({ jobs, concurrency, contestants, skipped }: DeliveriesResult): string[] {
  const small = contestants.filter(({ job }) => job === 'small');
  const bars = small.map(({ name, ofBare }) => ({ name, value: ofBare }));
  fs.writeFileSync(PLOT, drawBars('Deliveries as a share of the bare loop', bars));
  return [
    '## Deliveries',
    '',
    `${format(jobs)} small POSTs to one local endpoint, ${concurrency} under way at once; medians of ${contestants[0]?.rounds.length ?? 0} rounds in which all take turns.`,
    '',
    '![Deliveries as a share of the bare loop](performance.svg)',
    '',
    ...deliveryTable(small),
    '',
    "Belfry has its 512 default slots, of which one queue gets 341, no rate, and its own HTTP exchange. The others run 340 jobs at once and send with undici. The last column is the process and its database without the HTTP client, measured by the client's bare loop: the cost of the queue alone.",
    '',
    'A usual job: a payload of 1 KB, three headers of which one is a secret, a signing secret, an assertion and a callback, with metrics on. So each job is two requests.',
    '',
    ...deliveryTable(contestants.filter(({ job }) => job === 'usual')),
    ...skipped.map((what) => `\nSkipped: ${what}.`),
  ];
}

function deliveryTable(contestants: DeliveriesResult['contestants']): string[] {
  return table(
    ['', 'of the bare undici loop', 'a second', 'process', 'database', 'without the client'],
    contestants.map(({ name, ofBare, perSecond, cpuMicros, serverMicros, queueMicros }) => [
      name,
      ofBare.toFixed(2),
      format(perSecond),
      `${cpuMicros.toFixed(0)} µs`,
      `${serverMicros.toFixed(0)} µs`,
      `${queueMicros.toFixed(0)} µs`,
    ]),
  );
}

function accepting(results: Accepting[]): string[] {
  return [
    '## Accepting',
    '',
    'Jobs answered with 201 over 64 connections, each durable by then.',
    '',
    ...table(
      ['', 'a second', 'median', '99 %'],
      results.map((each) => [
        each.database,
        format(each.perSecond),
        ms(each.medianMs),
        ms(each.p99Ms),
      ]),
    ),
  ];
}

function steady(results: Lateness[]): string[] {
  return [
    '## Lateness under a steady load',
    '',
    'Jobs posted over HTTP and due a second later, after two seconds of warm-up; lateness is from the due time to the arrival at the target.',
    '',
    ...table(
      ['', 'a second', 'arrived', 'twice', 'early', 'median', '99 %', 'latest'],
      results.map((each) => [
        each.database,
        format(each.perSecond),
        `${format(each.arrived)} of ${format(each.jobs)}`,
        String(each.twice),
        String(each.early),
        ms(each.medianMs),
        ms(each.p99Ms),
        ms(each.maxMs),
      ]),
    ),
  ];
}

function batches(results: BatchCost[]): string[] {
  return [
    '## One batch next to a backlog',
    '',
    'Claiming and settling 100 jobs, medians; the last column compares with the first row of the same database.',
    '',
    ...table(
      ['', 'waiting', 'finished', 'claim', 'settle', 'ratio'],
      results.map((each) => [
        each.database,
        format(each.waiting),
        format(each.finished),
        ms(each.claimMs),
        ms(each.settleMs),
        each.ratio.toFixed(2),
      ]),
    ),
  ];
}

function crons(results: CronBurst[]): string[] {
  return [
    '## Crons due at the same moment',
    '',
    ...table(
      ['', 'crons', 'arrived', 'twice', 'half within', 'all within'],
      results.map((each) => [
        each.database,
        format(each.crons),
        format(each.arrived),
        String(each.twice),
        ms(each.medianMs),
        ms(each.lastMs),
      ]),
    ),
  ];
}

function flood(results: Flood[]): string[] {
  return [
    '## A flooded queue next to a small one',
    '',
    'One queue full of due jobs whose target takes a second; ten new jobs of another team, one after the other.',
    '',
    ...table(
      ['', 'flooding jobs', 'median wait', 'longest wait'],
      results.map((each) => [
        each.database,
        format(each.flooding),
        ms(each.waits.toSorted((a, b) => a - b)[Math.floor(each.waits.length / 2)] ?? Number.NaN),
        ms(each.longestMs),
      ]),
    ),
  ];
}

function memory(results: Memory[]): string[] {
  return [
    '## Memory',
    '',
    'Resident memory of the whole service, five seconds after its start.',
    '',
    ...table(
      ['', 'waiting', 'with them', 'with none'],
      results.map((each) => [
        each.database,
        format(each.waiting),
        megabytes(each.fullBytes),
        megabytes(each.emptyBytes),
      ]),
    ),
  ];
}

function growth(results: Growth[]): string[] {
  return [
    '## With millions of runs',
    '',
    'Medians of processor time (of the server on Postgres, of the whole process on SQLite), each compared with a thousand runs in turns. Claims, settlements and acceptances are of 100. The last column names a missed bound: 1.2 for these three, 100 ms for a page.',
    ...results.flatMap(growthOn),
  ];
}

function growthOn(result: Growth): string[] {
  const { database, finished, waiting, beside, claims = 0, bytes, costs, gone } = result;
  const history = gone.map(({ isBesideSnapshot, days, rows, seconds }) => {
    const where = isBesideSnapshot ? 'with the snapshot' : 'without it';
    const span = days === 1 ? 'one day' : `${days} days (a partition)`;
    return `${format(rows)} rows of ${span} in ${seconds.toFixed(1)} s ${where}`;
  });
  return [
    '',
    `### ${database}: ${format(finished)} finished, ${format(waiting)} waiting, ${(bytes / 1e9).toFixed(1)} GB`,
    '',
    `The snapshot is a transaction that stays open while ${format(beside)} runs come and go${claims > 0 ? `, and ${format(claims)} claims of one job are made` : ''}.`,
    '',
    ...table(
      ['', 'a thousand', 'all', 'ratio', 'all, with the snapshot', 'ratio', 'missed'],
      costs.map((each) => {
        const { alone, beside } = each;
        const [withAll, besideIt] = [ratioOf(alone).toFixed(2), ratioOf(beside).toFixed(2)];
        const [small, large, then] = [alone.small, alone.large, beside.large].map(processor);
        return [each.what, small, large, withAll, then, besideIt, missedBy(each)].map(String);
      }),
    ),
    '',
    `Retention, without the pauses that the service makes: ${history.join(', ')} (the bound on Postgres: 5 s).`,
  ];
}

const processor = ({ cpuMs }: Cost) => ms(cpuMs);
const ratioOf = ({ small, large }: GrowthCost['alone']) => large.cpuMs / small.cpuMs;

function missedBy({ kind, alone, beside }: GrowthCost): string {
  const isMissed = (pair: GrowthCost['alone']) =>
    kind === 'batch' ? ratioOf(pair) > 1.2 : kind === 'page' && pair.large.cpuMs > 100;
  if (isMissed(alone)) return 'missed';
  return isMissed(beside) ? 'with the snapshot' : '';
}

function soak(results: Soak[]): string[] {
  return [
    '## Many minutes at half of full speed',
    '',
    'Jobs posted over HTTP and due a second later, while retention deletes as many as come in and autovacuum works as it does by default. Each figure: the first quarter of the time, then the last.',
    '',
    ...table(
      ['', ...results.map(({ database }) => database)],
      [
        ['minutes', ...results.map((each) => String(each.minutes))],
        ['requested a second', ...results.map((each) => format(each.perSecond))],
        [
          'arrived of posted',
          ...results.map((each) => `${format(each.arrived)} of ${format(each.posted)}`),
        ],
        ['twice', ...results.map((each) => String(each.twice))],
        ['arrived, a second', ...results.map(drift((each) => each.arrivedPerSecond, format))],
        ['lateness, median', ...results.map(drift((each) => each.p50Ms, ms))],
        ['lateness, 99 %', ...results.map(drift((each) => each.p99Ms, ms))],
        ['processor time a job', ...results.map(drift((each) => each.cpuMicros, micros))],
        ['of its database', ...results.map(drift((each) => each.serverMicros, micros))],
        ['memory', ...results.map(drift((each) => each.memoryBytes, megabytes))],
        ['on the disk', ...results.map(drift((each) => each.databaseBytes, megabytes))],
      ],
    ),
  ];
}

/** A figure of the first quarter of the time, and of the last. */
function drift(value: (stretch: SoakStretch) => number, write: (value: number) => string) {
  return ({ stretches }: Soak): string => {
    const [first = Number.NaN, last = Number.NaN] = [stretches[0], stretches.at(-1)].map(
      (stretch) => stretch && value(stretch),
    );
    // On SQLite the database runs inside the service's process.
    if (first === 0) return '';
    return `${write(first)} → ${write(last)} (${(last / first).toFixed(2)})`;
  };
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, n) => (n === 0 ? '---' : '---:'))), ...rows.map(line)];
}

const format = (value: number) => Math.round(value).toLocaleString('en-US');
const ms = (value: number) => `${value < 10 ? value.toFixed(1) : format(value)} ms`;
const micros = (value: number) => `${value.toFixed(0)} µs`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
