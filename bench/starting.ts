/**
 * How fast each form of Belfry starts, and how much memory it uses when idle, compared with `node bin/start.js`:
 *
 * npm run package && node bench/starting.ts 7
 *
 * Each start uses an empty SQLite file; the figures are medians. Private memory belongs to the process alone; how much
 * of an executable's file is resident also depends on the system's page cache.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXECUTABLE, PACKAGE, ROOT } from '../packaging/places.ts';

const FORMS: Record<string, [string, ...string[]]> = {
  'node bin/start.js': [process.execPath, path.join(ROOT, 'bin/start.js')],
  executable: [EXECUTABLE],
  'npm package': [process.execPath, path.join(PACKAGE, 'belfry.js')],
};
const IDLE_MS = 5_000;

interface Sample {
  readyMs: number;
  residentKb: number;
  privateKb: number;
}

async function measure([file, ...args]: [string, ...string[]]): Promise<Sample> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-starting-'));
  const startedMs = performance.now();
  const env = { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: `sqlite:${folder}/belfry.db` };
  const belfry = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let said = '';
    while (!said.includes('is ready at')) {
      const [chunk] = (await once(belfry.stdout, 'data')) as [Buffer];
      said += chunk.toString();
    }
    const readyMs = performance.now() - startedMs;
    await delay(IDLE_MS);
    const status = fs.readFileSync(`/proc/${belfry.pid}/status`, 'utf8');
    const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
    return { readyMs, residentKb: read('VmRSS'), privateKb: read('RssAnon') };
  } finally {
    belfry.kill();
    await once(belfry, 'exit');
    fs.rmSync(folder, { recursive: true });
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const samples = new Map<string, Sample[]>(Object.keys(FORMS).map((name) => [name, []]));
for (let round = 0; round < Number(process.argv[2] ?? 5); round++) {
  for (const [name, command] of Object.entries(FORMS))
    samples.get(name)?.push(await measure(command));
}
const figuresOf = (name: string) => {
  const each = samples.get(name) ?? [];
  return (['readyMs', 'residentKb', 'privateKb'] as const).map((what) =>
    median(each.map((sample) => sample[what])),
  );
};
const [reference = []] = Object.keys(FORMS).map(figuresOf);
for (const name of Object.keys(FORMS)) {
  const figures = figuresOf(name);
  const ratios = figures.map((value, at) => (value / (reference[at] ?? 1)).toFixed(2));
  const [ready = 0, resident = 0, own = 0] = figures;
  process.stdout.write(
    `${name}: ready ${ready.toFixed(0)} ms (${ratios[0]}), resident ${(resident / 1024).toFixed(0)} MB ` +
      `(${ratios[1]}), private ${(own / 1024).toFixed(0)} MB (${ratios[2]})\n`,
  );
}
