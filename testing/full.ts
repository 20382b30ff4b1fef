/**
 * `npm run test:full`: the tests that take too long for each commit. All faults, the ten-minute walk through faults,
 * ten minutes of random responses, and an executable built twice.
 *
 * The result goes into docs/reliability.md. `npm run test:full -- 123` repeats a run with the seed 123.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.dirname(import.meta.dirname);
const PAGE = path.join(ROOT, 'docs/reliability.md');
const MARKED = /(?<=<!-- Written by `npm run test:full`. -->\n\n)[^\n]*/;
const TESTS = [
  'packaging/container.test.ts',
  'spec/faults',
  'src/outgoing/response-parser.test.ts',
  'src/outgoing/response-peers.test.ts',
];

const seed = process.argv[2] ?? String(Math.floor(Math.random() * 2 ** 31));
const env = {
  ...process.env,
  BELFRY_FULL: '1',
  FAULTS_SEED: seed,
  FUZZ_SEED: seed,
};
const startedAt = performance.now();
const run = spawn(process.execPath, [path.join(ROOT, 'testing/run.ts'), ...TESTS], {
  cwd: ROOT,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
run.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk);
  output += chunk.toString();
});
const [code] = (await once(run, 'close')) as [number | null];
const minutes = Math.round((performance.now() - startedAt) / 60_000);
const count = (name: string) => output.match(new RegExp(`ℹ ${name} (\\d+)`))?.[1] ?? 'unknown';
const totals = `${count('pass')} tests passed, ${count('fail')} failed, ${count('skipped')} skipped`;
const commit = spawnSync('git', ['describe', '--always', '--dirty'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const day = new Date().toISOString().slice(0, 10);
const result = `Last full run: ${day}, commit ${commit.stdout.trim()}, seed ${seed}, ${minutes} minutes: ${totals}.`;
fs.writeFileSync(PAGE, fs.readFileSync(PAGE, 'utf8').replace(MARKED, result));
process.stdout.write(`${result}\n`);
process.exitCode = code ?? 1;
