/**
 * `npm run bench`, or some parts of it: `npm run bench -- deliveries accepting`.
 *
 * Each part prints a section of docs/performance.md or docs/measurements.md. `--quick` takes a tenth of everything, as a
 * smoke test. `growth` takes long and runs only if it is named.
 */
import os from 'node:os';
import { parseArgs } from 'node:util';
import { measureAccepting } from './accepting.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureGrowth } from './growth.ts';
import { DATABASES, Places } from './place.ts';
import { measureSteady } from './steady.ts';
import { startTarget, type Target } from './target.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    /** One database alone, `SQLite` or `Postgres`. */
    database: { type: 'string' },
    /** Deliveries: the number of rounds, and a text that contestants' names must contain. */
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    /** Growth: the stored runs on Postgres (SQLite has a quarter of them), and whether an old snapshot is open. */
    finished: { type: 'string', default: '2000000' },
    waiting: { type: 'string', default: '200000' },
    snapshot: { type: 'boolean', default: false },
  },
});
const share = values.quick ? 10 : 1;
const databases = DATABASES.filter((each) => each === (values.database ?? each));

type Part = (places: Places, target: Target) => Promise<string>;

const PARTS: Record<string, Part> = {
  deliveries: (places, target) =>
    measureDeliveries(places, target, {
      jobs: 20_000 / share,
      rounds: values.quick ? 1 : Number(values.rounds),
      only: values.only ?? null,
    }),
  accepting: (places) => measureAccepting(places, databases, 40_000 / share),
  steady: (places, target) =>
    measureSteady(places, target, databases, { perSecond: 1_000, seconds: 10 / share }),
  growth: (places) =>
    measureGrowth(places, databases, {
      finished: Number(values.finished) / share,
      waiting: Number(values.waiting) / share,
      hasSnapshot: values.snapshot,
      batches: values.quick ? 20 : 100,
    }),
};

const USUAL = ['deliveries', 'accepting', 'steady'];
const wanted = positionals.length === 0 ? USUAL : positionals;
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  const parts = Object.keys(PARTS).join(', ');
  process.stderr.write(`no part ${unknown.join(', ')}; there are ${parts}\n`);
  process.exit(2);
}
const places = new Places();
const target = await startTarget();
try {
  for (const name of wanted) await runPart(name);
} finally {
  target.close();
  await places.close();
}
process.exit();

async function runPart(name: string): Promise<void> {
  const load = os.loadavg()[0]?.toFixed(2);
  process.stdout.write(`${name} (load before: ${load})\n`);
  try {
    const figures = await PARTS[name]?.(places, target);
    const machine = `${os.cpus().length} × ${os.cpus()[0]?.model}, ${os.type()} ${os.release()}`;
    const when = new Date().toISOString().slice(0, 10);
    const line = `_${when}, ${machine}, Node ${process.version}; load before: ${load}; \`npm run bench -- ${name}\`_`;
    process.stdout.write(`\n${figures}\n\n${line}\n\n`);
  } catch (error) {
    process.stdout.write(`  FAILED: ${(error as Error).stack}\n`);
    process.exitCode = 1;
  }
}
