/**
 * Runs every check and test: `npm test`, or only some tests: `npm test -- spec/2.1.test.ts`.
 *
 * Format, lint and types are looked at together while Postgres starts; the tests follow if all is well.
 * The last lines on stdout are the totals of node's test runner.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { TESTED_PACKAGE } from '../packaging/places.ts';
import { SILENCE_LIMIT_MS, TEST_LIMIT_MS } from './limits.ts';
import { makeMemoryFolder } from './memory-folder.ts';
import { startPostgres } from './postgres.ts';
import { keepDurations, readDurations, shareProcesses } from './share-processes.ts';
import { writeList } from './take-files.ts';

interface Check {
  name: string;
  command: readonly string[];
}

const ROOT = path.dirname(import.meta.dirname);
const TEST_FILES = '{src,spec,testing,bin,bench,packaging}/**/*.test.{ts,tsx}';
/**
 * Most files sometimes wait for a browser, a fault or a second to pass, so five files keep two cores busy. With more
 * cores the service's processes, browsers and Postgres need their share too.
 */
const FILES_AT_ONCE = Math.max(5, Math.floor(os.availableParallelism() * 0.75));

/** The checks' results are cached by their sources, in files of that name. */
const typesOf = (name: string) => [
  // Several would each find out the types that they share.
  '--checkers',
  '1',
  '--incremental',
  '--tsBuildInfoFile',
  `build/types/${name}.json`,
];

const CHECKS: readonly Check[] = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '--noEmit', ...typesOf('service')] },
  {
    name: 'dashboard types',
    command: ['tsc', '--noEmit', '-p', 'tsconfig.dashboard.json', ...typesOf('dashboard')],
  },
];

/** The types of the dashboard's routes are generated from its files; lint and the type check read them. */
const ROUTE_TYPES: Check = { name: 'route types', command: ['react-router', 'typegen'] };

/**
 * The dashboard for tests in a browser, and the npm package, from which tests start Belfry as a process: it starts in
 * half of the time that the sources take. Both are made only if their sources have changed.
 */
const BUILD: Check = { name: 'dashboard and package', command: ['node', 'packaging/for-tests.ts'] };

/** The databases that tests copy (migrated.ts); made on the server of this run. */
const MIGRATED: Check = {
  name: 'migrated databases',
  command: ['node', 'testing/make-migrated.ts', path.join(ROOT, 'build', 'migrated.db')],
};

const PROCESSES = path.join(ROOT, 'build', 'test-processes');

const TAKE = `import { takeFiles } from ${JSON.stringify(path.join(import.meta.dirname, 'take-files.ts'))};\n`;

/** The cache of compiled code, which test processes share: most of them load the same rooms. */
const COMPILE_CACHE = path.join(ROOT, 'build', 'compile-cache');

const DURATIONS = path.join(ROOT, 'build', 'test-durations.json');

/** Lint and both type checks run at once; with more threads than cores for all of them, each does more work. */
const CHECK_THREADS = Math.ceil(os.availableParallelism() / 3);

const running = new Set<ChildProcess>();
process.chdir(ROOT);
process.env['BELFRY_TEST_CACHE'] ??= os.tmpdir();
process.env['TMPDIR'] = makeMemoryFolder() ?? os.tmpdir();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });
}
process.exitCode = await run(process.argv.slice(2));

async function run(wanted: readonly string[]): Promise<number> {
  const files = findTestFiles(wanted);
  if (files.length === 0) return stop(`no test file matches ${wanted.join(' ')}`);
  const startedAt = performance.now();
  const postgres = startPostgres();
  // Awaited below; a failure must not count as unhandled while the checks run.
  postgres.catch(() => {});
  const failed = await runChecks(wanted.length === 0);
  const server = await postgres;
  try {
    if (failed !== null) return stop(`${failed} failed`);
    report('Postgres and checks', startedAt);
    process.env['TEST_POSTGRES_URL'] = server.url;
    process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;
    if ((await runCheck(MIGRATED)) !== null) return stop(`${MIGRATED.name} failed`);
    process.env['BELFRY_MIGRATED'] = MIGRATED.command.at(-1);
    return await runTests(files);
  } finally {
    await server.stop();
  }
}

/** Gives the name of the first check that failed, or null. */
async function runChecks(all: boolean): Promise<string | null> {
  if (!all) return runCheck(BUILD);
  const unready = await runCheck(ROUTE_TYPES);
  if (unready !== null) return unready;
  const outcomes = await Promise.all([BUILD, ...CHECKS.filter(isWanted)].map(runCheck));
  return outcomes.find((outcome) => outcome !== null) ?? null;
}

function isWanted({ command }: Check): boolean {
  const project = command[command.indexOf('-p') + 1];
  return !command.includes('-p') || fs.existsSync(String(project));
}

async function runCheck({ name, command }: Check): Promise<string | null> {
  const startedAt = performance.now();
  const [program = '', ...args] = command;
  const { code, output } = await runProgram(path.join('node_modules/.bin', program), args, {
    env: { ...process.env, GOMAXPROCS: String(CHECK_THREADS) },
  });
  if (code !== 0) process.stdout.write(output);
  report(code === 0 ? name : `${name} FAILED`, startedAt);
  return code === 0 ? null : name;
}

function findTestFiles(wanted: readonly string[]): string[] {
  const patterns = wanted.length === 0 ? [TEST_FILES] : wanted.map(toPattern);
  const files = new Set(
    patterns.flatMap((pattern) =>
      fs.globSync(pattern, { exclude: (name) => name === 'node_modules' }),
    ),
  );
  return [...files].toSorted();
}

/**
 * Writes a file for each process, which takes test files from a common list or has one of its own; gives their paths.
 * Node's runner starts them in the order of their names.
 */
function writeProcesses(files: readonly string[]): string[] {
  fs.rmSync(PROCESSES, { recursive: true, force: true });
  const { alone, taken } = shareProcesses(files, readDurations(DURATIONS));
  const lists = alone.map((file) => [[file]]);
  const takers = Math.min(FILES_AT_ONCE, taken.length);
  const common = writeList(path.join(PROCESSES, 'list'), taken);
  const folders = [
    ...lists.map((groups, at) => writeList(path.join(PROCESSES, `list-${at}`), groups)),
    ...Array.from({ length: takers }, () => common),
  ];
  return folders.map((folder, at) => {
    const name = path.join(PROCESSES, `${String(at).padStart(3, '0')}.test.ts`);
    fs.writeFileSync(name, `${TAKE}takeFiles(${JSON.stringify(folder)});\n`);
    return name;
  });
}

function toPattern(wanted: string): string {
  const isFolder = fs.statSync(wanted, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? path.join(wanted, '**/*.test.{ts,tsx}') : wanted;
}

async function runTests(files: readonly string[]): Promise<number> {
  const args = [
    '--require',
    path.join(import.meta.dirname, 'untracked-promises.cjs'),
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${FILES_AT_ONCE}`,
    `--test-timeout=${TEST_LIMIT_MS}`,
    ...(files.length === 1 ? files : writeProcesses(files)),
  ];
  const env: NodeJS.ProcessEnv = { ...process.env };
  env['BELFRY_PACKAGE'] ??= TESTED_PACKAGE;
  // Collecting garbage less often saves a tenth of the time.
  env['NODE_OPTIONS'] = `${env['NODE_OPTIONS'] ?? ''} --max-semi-space-size=64`.trim();
  if (process.stdout.isTTY) env['FORCE_COLOR'] = '1';
  const { code, output } = await runProgram(process.execPath, args, {
    env,
    onOutput: (chunk) => process.stdout.write(chunk),
  });
  keepDurations(DURATIONS, output);
  // After a failure the runner lists what failed last; the totals are repeated to stand at the end.
  if (code !== 0) process.stdout.write(`\n${findTotals(output)}\n`);
  return code;
}

function findTotals(output: string): string {
  const totals = /^.*ℹ tests \d+[\s\S]*?ℹ duration_ms .*$/m.exec(output);
  return totals?.[0] ?? 'The test runner ended before its totals.';
}

interface ProgramOptions {
  env?: NodeJS.ProcessEnv;
  onOutput?: (chunk: Buffer) => void;
}

async function runProgram(
  program: string,
  args: readonly string[],
  { env = process.env, onOutput = () => {} }: ProgramOptions = {},
): Promise<{ code: number; output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  // Interrupted, node's runner names the unfinished files.
  const silence = setTimeout(() => child.kill('SIGINT'), SILENCE_LIMIT_MS);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      silence.refresh();
      chunks.push(chunk);
      onOutput(chunk);
    });
  }
  child.once('error', reject);
  child.once('close', (code) => resolve(code ?? 1));
  running.add(child);
  const code = await promise;
  running.delete(child);
  clearTimeout(silence);
  return { code, output: Buffer.concat(chunks).toString() };
}

function report(what: string, startedAt: number): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${what}: ${seconds} s\n`);
}

function stop(reason: string): number {
  process.stdout.write(`npm test stopped: ${reason}\n`);
  return 1;
}
