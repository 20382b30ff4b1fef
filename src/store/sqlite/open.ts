import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '#domain/base/clock';
import { type CallScript, Database } from '../database/database.ts';
import type { Databases } from '../database/databases.ts';
import { StoreError } from '../database/errors.ts';
import { Semaphore } from '../database/semaphore.ts';
import type { OnStatement } from '../database/runner.ts';
import { connectionOf } from './connections.ts';
import { sqlite } from '../sql/sqlite.ts';
import { makeFolders } from '../database/make-folders.ts';
import type { StartThread, WorkerSettings } from './protocol.ts';
import { type OnLost, SqliteThread, startHere } from './thread.ts';

const BUSY_TIMEOUT_MS = 5000;

/**
 * FULL: a commit is on disk before it is answered. The WAL is truncated after a burst, and freed pages are returned in
 * small steps (`giveBackPages`).
 *
 * A commit that split a page walks the whole cache (sqlite3PcacheTruncate), so a small cache is faster. More than
 * 4,062 WAL pages need a second hash table.
 */
const WRITER_PRAGMAS = [
  'auto_vacuum = incremental',
  'journal_mode = wal',
  'synchronous = full',
  'journal_size_limit = 67108864',
  'cache_size = -8192',
  'wal_autocheckpoint = 4000',
  'temp_store = memory',
];
const READER_PRAGMAS = ['cache_size = -16384', 'temp_store = memory', 'query_only = on'];

/** A thread can't be interrupted. A page runs several searches in turn, so it may wait longer than one takes. */
const SEARCH_LIMITS = { permits: 1, mostWaiting: 50, waitMs: 5_000 };

interface SqliteOptions {
  clock: Clock;
  onLost: OnLost;
  onStatement?: OnStatement | undefined;
  startThread?: StartThread | undefined;
}

/**
 * One thread writes, one reads by keys, and one searches.
 *
 * @param onThisThread in place of threads of their own, and without a check for damage
 *
 * Throws a StoreError with the file and the next step: STORE_DAMAGED, STORE_READ_ONLY, STORE_UNAVAILABLE.
 */
export async function openSqliteFile(
  path: string,
  { onThisThread = false, ...options }: SqliteOptions & { onThisThread?: boolean | undefined },
): Promise<Databases> {
  const { clock, onLost, onStatement } = options;
  const startThread = onThisThread ? startHere : options.startThread;
  const { writing, reading } = connectionsTo(path, onStatement);
  const writer = openExplained(path, () => {
    makeFile(path);
    if (!onThisThread) prepareFile(path);
    return new SqliteThread(writing, onLost, startThread);
  });
  await writer.run('select 1', []).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  const startLater = (settings: WorkerSettings) => {
    let thread: SqliteThread | null = null;
    const start = () => (thread ??= new SqliteThread(settings, onLost, startThread));
    return { connection: connectionOf(start), close: async () => thread?.close() };
  };
  const reader = startLater(reading);
  const searcher = startLater({ ...reading, name: 'sqlite-searcher' });
  const main = new Database({
    dialect: sqlite,
    writer: connectionOf(() => writer),
    reader: reader.connection,
    onStatement,
    release: async () => {
      await reader.close();
      await writer.close();
    },
    call: callerOn(writer, onStatement),
  });
  const searches = new Database({
    dialect: sqlite,
    writer: searcher.connection,
    reader: searcher.connection,
    onStatement,
    release: searcher.close,
    semaphore: new Semaphore(SEARCH_LIMITS, clock),
  });
  return { main, searches, engine: main, lease: main };
}

function connectionsTo(path: string, onStatement: OnStatement | undefined) {
  const shared = { path, busyTimeoutMs: BUSY_TIMEOUT_MS, reports: onStatement !== undefined };
  return {
    writing: { ...shared, name: 'sqlite-writer', readOnly: false, pragmas: WRITER_PRAGMAS },
    reading: { ...shared, name: 'sqlite-reader', readOnly: true, pragmas: READER_PRAGMAS },
  } as const;
}

export async function openSqliteMemory(options: SqliteOptions): Promise<Databases> {
  const { onLost, onStatement, startThread } = options;
  const { writing } = connectionsTo(':memory:', onStatement);
  const settings = { ...writing, pragmas: ['temp_store = memory'] };
  const thread = new SqliteThread(settings, onLost, startThread);
  const db = connectionOf(() => thread);
  const call = callerOn(thread, onStatement);
  const release = () => thread.close();
  const main = new Database({
    dialect: sqlite,
    writer: db,
    reader: db,
    release,
    call,
    onStatement,
  });
  return { main, searches: main, engine: main, lease: main };
}

/** Scripts need no lock: the thread itself keeps them apart from transactions. */
function callerOn(thread: SqliteThread, onStatement?: OnStatement): CallScript {
  return async (name, input) => {
    const { output, ran } = await thread.call(name, input);
    for (const each of ran ?? []) onStatement?.(each);
    return output;
  };
}

function makeFile(path: string): void {
  makeFolders(dirname(path));
  // Readable only by its owner from the first byte on.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

function prepareFile(path: string): void {
  using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma auto_vacuum = incremental');
  database.exec('pragma journal_mode = wal');
  database.exec('begin immediate');
  database.exec('rollback');
  refuseDamage(database);
}

/** Above this only the roots are checked: a full check reads every page. */
const FULL_CHECK_BYTES = 64 * 1024 * 1024;

function refuseDamage(database: DatabaseSync): void {
  const pages = Number(database.prepare('pragma page_count').get()?.['page_count'] ?? 0);
  const pageBytes = Number(database.prepare('pragma page_size').get()?.['page_size'] ?? 0);
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  if (pages * pageBytes > FULL_CHECK_BYTES) {
    for (const { name } of tables)
      database.prepare(`select 1 from "${String(name)}" limit 1`).all();
    return;
  }
  const verdict = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
  if (verdict !== 'ok') throw new StoreError('STORE_DAMAGED', String(verdict));
}

function openExplained<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw explainOpening(path, error);
  }
}

function explainOpening(path: string, error: unknown): StoreError {
  const fault = asStoreError(error);
  const advice: Partial<Record<StoreError['code'], string>> = {
    STORE_DAMAGED: `the database file ${path} is damaged or not a SQLite database; restore a backup of it, or move it away to start with an empty one`,
    STORE_READ_ONLY: `the database file ${path} cannot be written; give this user write access to the file and its folder, or set DATABASE_URL to another place`,
    STORE_UNAVAILABLE: `the database file ${path} cannot be used now (${fault.message}); check that the disk has room and that no other program holds the file`,
  };
  return new StoreError(fault.code, advice[fault.code] ?? `${path}: ${fault.message}`, {
    cause: error,
  });
}

function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { message, code, errcode } = error as { message: string; code?: string; errcode?: number };
  if (errcode !== undefined) return StoreError.fromSqlite({ message, errcode });
  const cannotWrite = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST'].includes(
    code ?? '',
  );
  return new StoreError(cannotWrite ? 'STORE_READ_ONLY' : 'STORE_UNAVAILABLE', message);
}
