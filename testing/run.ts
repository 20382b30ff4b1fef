/**
 * `npm test`: format, lint, types and all tests. `npm test -- spec/2.1.test.ts`: only some tests.
 *
 * Test files share processes: a process for each of the 350 files takes 0.3 s of processor time more, and each of 40
 * would start a browser. Together that is a quarter of the time of all tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { TESTED_PACKAGE } from '../packaging/places.ts';
import { TEST_LIMIT_MS } from './limits.ts';

const ROOT = path.dirname(import.meta.dirname);
const TEST_FILES = '{src,spec,testing,bin,bench,packaging}/**/*.test.{ts,tsx}';
const PROCESSES = path.join(ROOT, 'build/test-processes');
/**
 * Most files sometimes wait for a browser, a fault or a second to pass, so five processes keep two cores busy. With
 * more cores the services, browsers and Postgres need their share too.
 */
const PROCESSES_AT_ONCE = Math.max(5, Math.floor(os.availableParallelism() * 0.75));
/** Lint and the type check run at once; with more threads than cores for all of them, each does more work. */
const CHECK_THREADS = Math.ceil(os.availableParallelism() / 3);
/** Files that measure their whole process: its memory, its pauses, its threads. */
const ALONE = new Set([
  'spec/lost-thread.test.ts',
  'spec/security/large-things.test.ts',
  'src/outgoing/body.test.ts',
]);

/** In the code of files that open pages in a browser. */
const BROWSER = /startBrowser|openPage|\bopen\b[^;]*= usePages/;

/** The dashboard and the npm package that tests start, made if their sources have changed. */
const BUILD = 'node packaging/for-tests.ts';
const CHECKS = [
  'oxfmt --check .',
  'oxlint --type-aware --deny-warnings',
  // With several checkers each would find out the shared types.
  'tsc --noEmit --checkers 1 --incremental --tsBuildInfoFile build/types.json',
];

process.chdir(ROOT);
process.exitCode = await run(process.argv.slice(2));

async function run(wanted: readonly string[]): Promise<number> {
  const files = findTestFiles(wanted);
  if (files.length === 0) return stop(`no test file matches ${wanted.join(' ')}`);
  const isAll = wanted.length === 0;
  // Lint and the type check read the generated types of the dashboard's routes.
  if (isAll && !(await passes('react-router typegen'))) return stop('no route types');
  const passed = await Promise.all([BUILD, ...(isAll ? CHECKS : [])].map(passes));
  return passed.includes(false) ? stop('a check failed') : runTests(files);
}

async function passes(command: string): Promise<boolean> {
  const startedAt = performance.now();
  const [program = '', ...args] = command.split(' ');
  const child = spawn(path.join('node_modules/.bin', program), args, {
    env: { ...process.env, GOMAXPROCS: String(CHECK_THREADS) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) process.stdout.write(output + errors);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${command}: ${code === 0 ? '' : 'FAILED, '}${seconds} s\n`);
  return code === 0;
}

function findTestFiles(wanted: readonly string[]): string[] {
  const patterns = wanted.length === 0 ? [TEST_FILES] : wanted.map(toPattern);
  const files = patterns.flatMap((pattern) =>
    fs.globSync(pattern, { exclude: (name) => name === 'node_modules' }),
  );
  return [...new Set(files)].toSorted();
}

function toPattern(wanted: string): string {
  const isFolder = fs.statSync(wanted, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? path.join(wanted, '**/*.test.{ts,tsx}') : wanted;
}

async function runTests(files: readonly string[]): Promise<number> {
  const args = [
    '--require=./testing/untracked-promises.cjs',
    '--test',
    '--test-global-setup=testing/setup.ts',
    '--test-reporter=spec',
    `--test-concurrency=${PROCESSES_AT_ONCE}`,
    `--test-timeout=${TEST_LIMIT_MS}`,
    // Also for one file: `before` at the top of a file that node runs itself doesn't wait for the one above it.
    ...writeProcesses(files),
  ];
  const { NODE_OPTIONS = '', BELFRY_PACKAGE = TESTED_PACKAGE } = process.env;
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      BELFRY_PACKAGE,
      NODE_COMPILE_CACHE: path.join(ROOT, 'build/compile-cache'),
      // Collecting garbage less often saves a tenth of the time.
      NODE_OPTIONS: `${NODE_OPTIONS} --max-semi-space-size=64`.trim(),
    },
  });
  // Ctrl-C reaches the test runner too, which lists the unfinished files.
  process.on('SIGINT', () => {});
  process.once('SIGTERM', () => child.kill());
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

/**
 * Writes a file for each process, which runs test files one after the other (take-files.ts); gives their paths. Node's
 * runner starts them in the order of their names.
 */
function writeProcesses(files: readonly string[]): string[] {
  fs.rmSync(PROCESSES, { recursive: true, force: true });
  // Files that need a package share a process, so that it is made once. They take longest.
  const packaging = files.filter((file) => file.startsWith('packaging'));
  const alone = files.filter((file) => ALONE.has(file));
  const shared = files
    .filter((file) => !packaging.includes(file) && !alone.includes(file))
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  const takers = Array.from({ length: Math.min(PROCESSES_AT_ONCE, shared.length) }, () => shared);
  const lists = [packaging, ...alone.map((file) => [file]), ...takers];
  return lists
    .filter((list) => list.length > 0)
    .map((list, at) => {
      const folder = path.join(PROCESSES, list === shared ? 'shared' : String(at));
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'files.json'), JSON.stringify(list));
      const name = path.join(PROCESSES, `${String(at).padStart(3, '0')}.test.ts`);
      const taker = JSON.stringify(path.join(import.meta.dirname, 'take-files.ts'));
      const code = `import { takeFiles } from ${taker};\ntakeFiles(${JSON.stringify(folder)});\n`;
      fs.writeFileSync(name, code);
      return name;
    });
}

/**
 * Files that start services come first, so that all processes end at about the same time. Files with pages in a browser
 * follow each other, because an unused browser ends.
 */
function weightOf(file: string): number {
  const folders = ['spec', 'spec/dashboard', 'spec/faults'];
  const rank = folders.findLastIndex((folder) => file.startsWith(`${folder}/`)) + 1;
  const usesBrowser = BROWSER.test(fs.readFileSync(file, 'utf8'));
  return Math.max(rank, usesBrowser ? 2.5 : 0) * 1e6 + fs.statSync(file).size;
}

function stop(reason: string): number {
  process.stdout.write(`npm test stopped: ${reason}\n`);
  return 1;
}
