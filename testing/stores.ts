import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { remove } from '#store/database/rows';
import { silentLog } from '#domain/base/log';
import {
  type OpenedStore,
  openStore,
  type Store,
  type StoreLocation,
  type StoreOptions,
} from '#store/store';
import { FakeClock } from '#demo/fake-clock';
import { borrowDatabase } from './borrowed-database.ts';
import { isMade, MIGRATED, readMigrated } from './migrated.ts';
import { createDatabase, makeTemplate } from './postgres.ts';
import { lendThread } from './sqlite-threads.ts';

/** A Saturday in the middle of a month. */
export const TEST_START = Date.parse('2026-11-21T12:00:00Z');

export const TEST_APP_KEY = new Uint8Array(32).fill(7);

/** As if sealed with another key, or damaged. */
export const SEALED_ELSEWHERE =
  'v1.c2VhbGVkIHdpdGggYW5vdGhlciBrZXksIG9yIGRhbWFnZWQgb24gdGhlIGRpc2s';

/** A database of its own, which is deleted with everything opened on it when the test ends. */
export interface TestStore extends OpenedStore, AsyncDisposable {
  /** Only tests move it. The store uses it, also on Postgres. */
  readonly testClock: FakeClock;
  readonly location: StoreLocation;
  /** Opens it as another process would: by default as the command line does. */
  openAnother(options?: Partial<StoreOptions>): Promise<OpenedStore>;
  /** As after a restart. */
  reopen(options?: Partial<StoreOptions>): Promise<OpenedStore>;
}

export function postgresUrl({ location }: Pick<TestStore, 'location'>): string {
  if (location.kind !== 'postgres') throw new Error(`the store is on ${location.kind}`);
  return location.url;
}

/**
 * `isEmpty`: a database that was never migrated, where otherwise one that was is copied. `isUnused`: on Postgres a copy
 * that no test has used, without its free pages and statistics.
 */
type TestStoreOptions = Partial<StoreOptions> & { isEmpty?: boolean; isUnused?: boolean };
export type OpenTestStore = (options?: TestStoreOptions) => Promise<TestStore>;

export type DeclareTest = (title: string, run: () => Promise<void>) => void;

/**
 * @param declare called once per database, with its name and a function that opens a fresh store. `once` declares a
 *   test on SQLite alone: of a rule above the store, whose statements other tests run on both databases
 */
export function forEachStore(
  declare: (name: Store['dialect'], openTestStore: OpenTestStore, once: DeclareTest) => void,
): void {
  const once: DeclareTest = (title, run) => void test(title, run);
  describe('on SQLite', () => declare('sqlite', openSqliteTestStore, once));
  describe('on Postgres', () => declare('postgres', openPostgresTestStore, () => {}));
}

/** As `forEachStore`, but SQLite has its threads, as in the service. */
export function forEachServedStore(
  declare: (name: Store['dialect'], openTestStore: OpenTestStore) => void,
): void {
  describe('on SQLite', () => declare('sqlite', openThreadedTestStore));
  describe('on Postgres', () => declare('postgres', openPostgresTestStore));
}

/** By default on this thread, which opens in a few milliseconds. */
export async function openSqliteTestStore(options?: TestStoreOptions): Promise<TestStore> {
  const file = await lendSqliteFile(options);
  return openTestStore(file.location, { onThisThread: true, ...options }, file.drop);
}

/**
 * A SQLite file with threads, as the service has it: for what takes place on two connections at once, where one on this
 * thread could only wait for itself. Starting them takes longer than most tests.
 */
export function openThreadedTestStore(options?: TestStoreOptions): Promise<TestStore> {
  return openSqliteTestStore({ onThisThread: false, ...options });
}

/** A SQLite file in a folder of its own, which `drop` removes; migrated unless `isEmpty`. */
export async function lendSqliteFile({ isEmpty = false } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-store-'));
  const location = { kind: 'sqlite', path: path.join(folder, 'belfry.db') } as const;
  if (!isEmpty) {
    const bytes = await (migratedBytes ??= findMigratedFile());
    fs.writeFileSync(location.path, bytes, { mode: 0o600 });
  }
  const drop = async () => fs.rmSync(folder, { recursive: true, force: true });
  return { location, drop };
}

export async function openPostgresTestStore(options?: TestStoreOptions): Promise<TestStore> {
  const { isEmpty = false, isUnused = false } = options ?? {};
  if (!isEmpty && !isMade) await (migrated ??= prepareMigrated());
  const database = isEmpty
    ? await createDatabase()
    : await (isUnused ? createDatabase : borrowDatabase)(MIGRATED);
  return openTestStore({ kind: 'postgres', url: database.url }, options, () => database.drop());
}

/** Without `npm test`, each is made once a process. */
let migrated: Promise<void> | null = null;
let migratedBytes: Promise<Uint8Array> | null = null;

async function findMigratedFile(): Promise<Uint8Array> {
  return readMigrated() ?? readMigratedFile();
}

/** As the command line does. */
export function openLocation(
  location: StoreLocation,
  options: Partial<StoreOptions> = {},
): Promise<OpenedStore> {
  return openStore({
    location,
    appKey: TEST_APP_KEY,
    clock: new FakeClock(TEST_START),
    clockOf: 'given',
    log: silentLog,
    serving: false,
    ...options,
  });
}

/** Makes the database on the shared Postgres server from which tests copy theirs. */
export function prepareMigrated(): Promise<void> {
  return makeTemplate(MIGRATED, (url) => migrate({ kind: 'postgres', url }));
}

export async function readMigratedFile(): Promise<Uint8Array> {
  const { location, drop } = await lendSqliteFile({ isEmpty: true });
  await migrate(location);
  const bytes = fs.readFileSync(location.path);
  await drop();
  return bytes;
}

async function migrate(location: StoreLocation): Promise<void> {
  const store = await openLocation(location, { onThisThread: true });
  // The key check is removed, because a test may open its copy with a key of its own.
  await remove(store.database, 'installation', {});
  await store.close();
}

async function openTestStore(
  location: StoreLocation,
  given: TestStoreOptions | undefined,
  removeDatabase: () => Promise<void>,
): Promise<TestStore> {
  const testClock = new FakeClock(TEST_START);
  const usual: StoreOptions = {
    location,
    appKey: TEST_APP_KEY,
    clock: testClock,
    clockOf: 'given',
    log: silentLog,
    serving: false,
    startThread: lendThread,
    ...given,
  };
  const opened: Store[] = [];
  const open = async (options?: Partial<StoreOptions>) => {
    const store = await openStore({ ...usual, serving: false, ...options });
    opened.push(store);
    return store;
  };
  try {
    const store = await open(usual);
    return {
      ...store,
      testClock,
      location,
      openAnother: open,
      reopen: async (options) => {
        await closeOnce(store, opened);
        return open({ serving: usual.serving, ...options });
      },
      [Symbol.asyncDispose]: async () => {
        for (const each of opened.splice(0)) await each.close();
        await removeDatabase();
      },
    };
  } catch (error) {
    await removeDatabase();
    throw error;
  }
}

async function closeOnce(store: Store, opened: Store[]): Promise<void> {
  const at = opened.indexOf(store);
  if (at === -1) return;
  opened.splice(at, 1);
  await store.close();
}
