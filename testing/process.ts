import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, test } from 'node:test';
import { guardChild, makeFolder } from './guard.ts';
import { copyMigrated, createMigratedDatabase } from './migrated.ts';
import { createDatabase } from './postgres.ts';
import type { DeclareTest } from './stores.ts';
import { withinTime } from './wait.ts';
import { LONG_WAIT_LIMIT_MS, WAIT_LIMIT_MS } from './limits.ts';

export { eventually } from './wait.ts';

interface BelfryOptions {
  /** Default: a SQLite file in the folder; where that is not given either, one without a row. */
  databaseUrl?: string;
  /** Further settings, which override the defaults; undefined removes a default. */
  env?: Record<string, string | undefined>;
  /** The working folder. Default: a fresh one, removed when the tests end. */
  folder?: string;
  /** The program to run. Default: the one under test. */
  program?: Program;
}

/** How to start Belfry: a file, and the arguments before the command. */
export type Program = readonly [file: string, ...first: string[]];

export interface CommandResult {
  code: number;
  /** What it printed on stdout, parsed; null if that was not JSON. */
  json: unknown;
  stdout: string;
  stderr: string;
}

export interface BelfryProcess extends AsyncDisposable {
  url: string;
  pid: number;
  folder: string;
  databaseUrl: string;
  /** The lines it has printed so far, on stdout and stderr. */
  output: readonly string[];
  exited: Promise<number | null>;
  /** Settles when it has ended and everything it printed is in `output`. */
  closed: Promise<void>;
  /** Printed before or after the call. */
  line(wanted: RegExp, withinMs?: number): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Asks it to stop (SIGTERM) and gives its exit code. */
  stop(): Promise<number | null>;
  /** Ends it in the middle of whatever it does (SIGKILL). */
  kill(): Promise<void>;
  /** Once it has ended, on the same folder and database. */
  restart(env?: BelfryOptions['env']): Promise<BelfryProcess>;
  /** Runs a command of the operator's command line beside it, with the same settings (`runOperator`). */
  cli(...args: string[]): Promise<CommandResult>;
  /** The same as a process of its own. */
  cliProcess(...args: string[]): Promise<CommandResult>;
}

const MAIN = path.join(path.dirname(import.meta.dirname), 'src/main.ts');
/** The program that is started unless another is named. */
export const UNDER_TEST = findProgram(process.env);
const READY = /belfry is ready at (http:\/\/[^\s"]+)/;

const DEFAULTS = {
  HOST: '127.0.0.1',
  PORT: '0',
  ALLOWED_NETWORKS: '127.0.0.0/8',
  API_RATE_LIMIT: '0',
  LOG_LEVEL: 'info',
  SHUTDOWN_GRACE_SECONDS: '5',
};

/** Postgres needs a key, the same one in every process that shares the database. */
const APP_KEY = Buffer.alloc(32, 'belfry').toString('base64');

/** The executable or the folder of a package that the environment names (`npm test` does so), or the sources. */
function findProgram({ BELFRY_EXECUTABLE, BELFRY_PACKAGE }: NodeJS.ProcessEnv): Program {
  if (BELFRY_EXECUTABLE) return [path.resolve(BELFRY_EXECUTABLE)];
  return [process.execPath, BELFRY_PACKAGE ? path.resolve(BELFRY_PACKAGE, 'belfry.js') : MAIN];
}

export async function startBelfry(options: BelfryOptions = {}): Promise<BelfryProcess> {
  const child = launchBelfry(options);
  const { line, stop } = child;
  try {
    const url = READY.exec(await line(READY, LONG_WAIT_LIMIT_MS))?.[1] ?? '';
    return { ...child, url, [Symbol.asyncDispose]: async () => void (await stop()) };
  } catch (error) {
    await child.kill();
    throw error;
  }
}

/** For starts that fail. */
export function launchBelfry(options: BelfryOptions = {}) {
  const folder = findFolder(options);
  const databaseUrl = options.databaseUrl ?? `sqlite:${path.join(folder, 'belfry.db')}`;
  const env = settingsFor(databaseUrl, options.env);
  const [file, ...first] = options.program ?? UNDER_TEST;
  const { child, release } = spawnGuarded(file, first, folder, env);
  const { output, line } = collectLines(child);
  const exited = once(child, 'exit').then(([code]) => {
    release();
    return code as number | null;
  });
  const closed = once(child, 'close').then(() => {});
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return withinTime(exited, LONG_WAIT_LIMIT_MS, () => `the service to end after ${signal}`);
  };
  return {
    pid: Number(child.pid),
    folder,
    databaseUrl,
    output,
    exited,
    closed,
    line,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    stop: async () => {
      try {
        return await end('SIGTERM');
      } catch (error) {
        child.kill('SIGKILL');
        throw error;
      }
    },
    kill: async () => void (await end('SIGKILL')),
    restart: (changes: BelfryOptions['env'] = {}) =>
      startBelfry({ folder, databaseUrl, env: { ...options.env, ...changes } }),
    cli: (...args: string[]) => runOperator(args, { ...options, folder, databaseUrl }),
    cliProcess: (...args: string[]) => runCommand([file, ...first], args, folder, env),
  };
}

/**
 * Runs a command in this process, which takes a tenth of what a process of its own does; but it stands still while a
 * SQLite file is locked. Another program than this
 * version's package or sources, and a command that wrong settings stop, run as a process.
 */
export async function runOperator(
  args: readonly string[],
  options: BelfryOptions & { folder: string; databaseUrl: string },
): Promise<CommandResult> {
  const { configFrom, run } = await import('./command-line.ts');
  const env = settingsFor(options.databaseUrl, options.env);
  const config = configFrom(env, options.folder);
  const isOther = options.program !== undefined || process.env['BELFRY_EXECUTABLE'];
  if (isOther || config === null)
    return runCommand(options.program ?? UNDER_TEST, args, options.folder, env);
  // Of two SQLite connections on one thread, one could wait only in vain for the other's transaction.
  const ran = lastCommand.then(() => run(config, args));
  lastCommand = ran.catch(() => {});
  const { json = null, ...texts } = await ran;
  return { json, ...texts };
}

let lastCommand: Promise<unknown> = Promise.resolve();

/** The folder of an installation that was started once and has nothing in it yet, unless a folder is given. */
function findFolder({ folder, databaseUrl }: BelfryOptions): string {
  if (folder !== undefined) return folder;
  const made = makeFolder();
  if (databaseUrl === undefined) copyMigrated(made, APP_KEY);
  return made;
}

/**
 * The inherited variables: what a process needs to run, and the folder of compiled code, which `npm start` uses too.
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE'];

function settingsFor(databaseUrl: string, given: BelfryOptions['env'] = {}): NodeJS.ProcessEnv {
  const inherited = INHERITED.map((name) => [name, process.env[name]]);
  const all: Record<string, string | undefined> = {
    ...(Object.fromEntries(inherited) as Record<string, string | undefined>),
    ...DEFAULTS,
    DATABASE_URL: databaseUrl,
    ...(databaseUrl.startsWith('postgres') ? { APP_KEY } : {}),
    ...given,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function spawnGuarded(file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, release: guardChild(Number(child.pid)) };
}

async function runCommand(
  [file, ...first]: Program,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const { child, release } = spawnGuarded(file, [...first, ...args], folder, env);
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  try {
    const closed = once(child, 'close') as Promise<[number | null]>;
    const [code] = await withinTime(
      closed,
      LONG_WAIT_LIMIT_MS,
      () => `belfry ${args.join(' ')} to end`,
    );
    return { code: code ?? -1, json: parseJson(texts.stdout), ...texts };
  } finally {
    child.kill('SIGKILL');
    release();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function collectLines(child: ChildProcess) {
  const output: string[] = [];
  const watchers = new Set<() => void>();
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      output.push(...lines);
      for (const watch of watchers) watch();
    });
  }
  child.once('close', () => {
    hasEnded = true;
    for (const watch of watchers) watch();
  });

  const line = async (wanted: RegExp, withinMs = WAIT_LIMIT_MS): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const shown = () => `a line like ${wanted}; it printed:\n${output.slice(-30).join('\n')}`;
    let seen = 0;
    const watch = () => {
      const found = output.slice(seen).find((text) => wanted.test(text));
      seen = output.length;
      if (found !== undefined) resolve(found);
      else if (hasEnded) reject(new Error(`The service ended before ${shown()}`));
    };
    watchers.add(watch);
    watch();
    try {
      return await withinTime(promise, withinMs, shown);
    } finally {
      watchers.delete(watch);
    }
  };
  return { output, line };
}

/** Gives the DATABASE_URL of a database without a row; `isEmpty`: one without a table, which was never migrated. */
type MakeDatabaseUrl = (options?: { isEmpty?: boolean }) => Promise<string>;

export const makeSqliteUrl: MakeDatabaseUrl = async ({ isEmpty = false } = {}) => {
  const folder = isEmpty ? makeFolder() : findFolder({});
  return `sqlite:${path.join(folder, 'belfry.db')}`;
};

/**
 * Declares the same suite for both databases: what holds on one must hold on the other. `once` declares a test on SQLite
 * alone (`forEachStore`).
 */
export function forEachDatabase(
  declare: (
    name: 'SQLite' | 'Postgres',
    makeDatabaseUrl: MakeDatabaseUrl,
    once: DeclareTest,
  ) => void,
): void {
  describe('SQLite', () => declare('SQLite', makeSqliteUrl, (...given) => void test(...given)));
  describe('Postgres', () => {
    const makeDatabaseUrl: MakeDatabaseUrl = async ({ isEmpty = false } = {}) =>
      (await (isEmpty ? createDatabase() : createMigratedDatabase())).url;
    declare('Postgres', makeDatabaseUrl, () => {});
  });
}
