import type { Clock } from '#domain/base/clock';
import { TEAM_BOUNDS, type TeamBounds } from '#domain/team/team-bounds';
import type { Log } from '#domain/base/log';
import { apiTokens } from './people/api-tokens.ts';
import { serviceAccounts } from './people/service-accounts.ts';
import { rateLimits } from './people/rate-limits.ts';
import { callbacks } from './callbacks/callbacks.ts';
import { bindAll, type Context } from './database/context.ts';
import type { Database, Trx } from './database/database.ts';
import type { OnStatement } from './database/runner.ts';
import { type Databases, eachDatabase } from './database/databases.ts';
import type { DialectName } from './database/dialect.ts';
import { StoreError, type StoreErrorCode } from './database/errors.ts';
import type { OnBatch } from './database/group-commit.ts';
import { preparedStatement } from './database/prepared.ts';
import * as nouns from './nouns.ts';
import { jobs } from './jobs/jobs.ts';
import { lists } from './lists/lists.ts';
import { findApplied } from './migrations/applied.ts';
import { BASELINE, compareMigrations, type Migration } from './migrations/migrations.ts';
import { batchCounts } from './figures/adding-up.ts';
import { DatabaseClock } from './postgres/clock.ts';
import { explaining } from './postgres/explain.ts';
import { sightings, type UntrustedSignIn, type UntrustedHeader } from './nodes/sightings.ts';
import { queues } from './queues/queues.ts';
import { runs } from './runs/runs.ts';
import { addMissing, one, put, remove } from './database/rows.ts';
import { installationOf, KEY_CHECK, Sealer } from './database/seal.ts';
import type { SignalBus } from './database/signals.ts';
import { openSqliteFile, openSqliteMemory } from './sqlite/open.ts';
import type { StartThread } from './sqlite/protocol.ts';
import { takeServingLock } from './serving-lock.ts';
import { SqliteSignals } from './sqlite/signals.ts';

export type StoreLocation =
  | { kind: 'sqlite'; path: string }
  | { kind: 'sqlite-memory' }
  | {
      kind: 'postgres';
      url: string;
      /** Default: the first of the search path (`public`). */
      schema?: string;
    };

export interface StoreOptions {
  location: StoreLocation;
  /** 32 bytes. */
  appKey: Uint8Array;
  clock: Clock;
  /** On Postgres the database's clock, or `clock` for tests. SQLite always uses `clock`. */
  clockOf?: 'database' | 'given';
  onStatement?: OnStatement;
  /** A SQLite thread has ended: only a new process can open the database. */
  onLost?: (fault: StoreError) => void;
  log: Log;
  /** False for commands, which work next to a running service. */
  serving: boolean;
  /** Always (default), only in an empty database, or never; else STORE_NOT_MIGRATED. */
  migrates?: 'always' | 'if-empty' | 'never';
  /** Only tests set this. */
  migrations?: readonly Migration[] | undefined;
  /** For a process that does one thing: starting threads takes longer than the database does. */
  onThisThread?: boolean;
  bounds?: TeamBounds;
  /** Only tests set this, to reuse their threads. */
  startThread?: StartThread | undefined;
}

interface Shared {
  readonly dialect: DialectName;
  readonly clock: Clock;
  readonly signals: SignalBus;
  readonly sealer: Sealer;
  /** See `installationOf`. */
  readonly installation: string;
  readonly migrated: readonly string[];
  watchFaults(onFault: (code: StoreErrorCode) => void): void;
  /** Only one listener; a second call replaces it. */
  watchBatches(listener: OnBatch): void;
  /** Rejects with STORE_UNAVAILABLE. */
  ping(): Promise<void>;
  /** Rejects with STORE_UNAVAILABLE or STORE_READ_ONLY. */
  probeWrite(): Promise<void>;
  close(): Promise<void>;
}

export interface Store extends Shared, ReturnType<typeof makeNouns> {}

export interface OpenedStore extends Store {
  /** With the engine's own connections on Postgres. Closed with the other. */
  readonly forEngine: Store;
}

/** Takes the right to serve it if `serving`, and migrates it. StoreErrors have the operator's next step. */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const { location, serving } = options;
  const onFile = location.kind === 'sqlite';
  const databases = await openDatabases(options);
  let giveBack = () => {};
  const close = async () => {
    for (const each of eachDatabase(databases)) await each.close();
    giveBack();
  };
  try {
    if (onFile && serving) giveBack = takeServingLock(location.path);
    return await assemble(options, databases, close);
  } catch (error) {
    giveBack();
    await close().catch(() => {});
    throw error;
  }
}

async function openDatabases(options: StoreOptions): Promise<Databases> {
  const { location, clock, log, onStatement, onLost = () => {}, startThread } = options;
  const common = { clock, onStatement };
  if (location.kind === 'sqlite') {
    const { onThisThread } = options;
    return openSqliteFile(location.path, { ...common, onLost, startThread, onThisThread });
  }
  if (location.kind === 'sqlite-memory') {
    return openSqliteMemory({ ...common, onLost, startThread });
  }
  const onFault = (error: Error) => log.warn('database.connection-lost', { error: error.message });
  const { refuseTransactionPooling } = await import('./postgres/pooling.ts');
  await refuseTransactionPooling(location.url);
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres({ ...common, ...location, onFault });
}

async function assemble(
  options: StoreOptions,
  databases: Databases,
  close: () => Promise<void>,
): Promise<OpenedStore> {
  const { location, appKey, serving } = options;
  const { main: database, engine } = databases;
  const migrated = await prepareSchema(options, database).catch((error: unknown) => {
    throw location.kind === 'postgres' ? explaining(error) : error;
  });
  const sealer = new Sealer(appKey);
  const installation = installationOf(await checkKey(database, sealer));
  const links = await startLinks(options, database);
  const { clock, signals } = links;
  if (serving && migrated.length > 0) logMigrated(options.log, migrated);
  let onBatch: OnBatch = () => {};
  const shared: Shared = {
    dialect: database.dialect.name,
    clock,
    signals,
    sealer,
    installation,
    migrated,
    watchFaults: (onFault: (code: StoreErrorCode) => void) => {
      for (const each of eachDatabase(databases)) each.watchFaults(onFault);
    },
    watchBatches: (listener) => {
      onBatch = listener;
    },
    ping: async () => {
      await database.read(askAnything, []);
    },
    probeWrite: () => database.transact(writeAndDelete),
    close: async () => {
      await links.stop();
      await close();
    },
  };
  const bounds = options.bounds ?? TEAM_BOUNDS;
  const context: Context = {
    ...databases,
    clock,
    signals,
    sealer,
    bounds,
    onBatch: (...batch) => onBatch(...batch),
  };
  const store = { ...shared, ...makeNouns(context) };
  if (engine === database) return { ...store, forEngine: store };
  const ofEngine = { ...context, main: engine, searches: engine };
  return { ...store, forEngine: { ...shared, ...makeNouns(ofEngine) } };
}

function makeNouns(context: Context) {
  const { main } = context;
  const limits = rateLimits(context);
  return {
    ...bindAll(context, nouns),
    database: main,
    apiTokens: apiTokens(context),
    batchCounts: batchCounts(context),
    callbacks: callbacks(context),
    jobs: jobs(context),
    lists: lists(context),
    queues: queues(context),
    rateLimits: limits,
    /** Null if there is only one node. */
    sharedRates: main.dialect.hasOneNode ? null : limits,
    runs: runs(context),
    serviceAccounts: serviceAccounts(context),
    untrustedHeaders: sightings<UntrustedHeader>(context, 'untrustedHeaders'),
    untrustedSignIns: sightings<UntrustedSignIn>(context, 'untrustedSignIns'),
  };
}

function logMigrated(log: Log, migrated: readonly string[]): void {
  if (migrated.includes(BASELINE)) log.info('database.created');
  else log.info('database.migrated', { migrated });
}

/**
 * Reads the applied migrations first: migrating needs its own connection on Postgres, and SQLite's one writer.
 * @returns the names applied now
 */
async function prepareSchema(options: StoreOptions, database: Database): Promise<string[]> {
  const { migrates = 'always', migrations } = options;
  const applied = await findApplied((text) => database.autocommit(text), database.dialect.name);
  const { pendingMigrations, unknownMigrations } = compareMigrations(applied, migrations);
  if (unknownMigrations.length > 0) throw new StoreError('STORE_TOO_NEW', TOO_NEW);
  if (pendingMigrations.length === 0) return [];
  if (applied.length === 0) {
    if (migrates === 'never') throw notMigrated('the database is empty', EMPTY_ADVICE);
  } else if (migrates !== 'always') {
    const names = pendingMigrations.join(', ');
    throw notMigrated(`the database is of an earlier version (pending: ${names})`, PENDING_ADVICE);
  }
  return applyMigrations(options, database);
}

async function applyMigrations(options: StoreOptions, database: Database): Promise<string[]> {
  const { location, log, clock, onStatement, migrations } = options;
  const migrating = {
    now: clock.now(),
    migrations,
    onTableAwaited: () => log.info('database.table-awaited'),
  };
  const { migrate } = await import('./migrations/migrate.ts');
  if (location.kind !== 'postgres') return migrate(database, migrating);
  const onFault = (error: Error) => log.warn('database.connection-lost', { error: error.message });
  const { openPool, POOLS } = await import('./postgres/open.ts');
  const patient = openPool({ ...location, onFault, onStatement }, POOLS.migrations);
  try {
    return await migrate(patient, { ...migrating, schema: location.schema });
  } finally {
    await patient.close();
  }
}

const TOO_NEW =
  'the database was made by a newer version of Belfry; start that version or restore a backup';
export const EMPTY_ADVICE = 'start the service, or run "belfry migrate"';
const PENDING_ADVICE =
  'run "belfry migrate" after a backup, or use the command of the version that serves it';

function notMigrated(what: string, advice: string): StoreError {
  return new StoreError('STORE_NOT_MIGRATED', `${what}; ${advice}`);
}

const askAnything = preparedStatement<{ key: string }>(
  'ping',
  () => 'select key from installation limit 1',
);

const PROBE_KEY = 'write_probe';

/** Writes 64 kB, because on a full disk an update of one row may still succeed. */
async function writeAndDelete(trx: Trx): Promise<void> {
  const value = 'x'.repeat(64 * 1024);
  await put(trx, 'installation', { key: PROBE_KEY }, { value });
  await remove(trx, 'installation', { key: PROBE_KEY });
}

async function startLinks(
  { location, clock, clockOf = 'database', log, serving }: StoreOptions,
  database: Database,
): Promise<Pick<Shared, 'clock' | 'signals'> & { stop(): Promise<void> }> {
  if (location.kind !== 'postgres') {
    const signals = new SqliteSignals(database, clock);
    if (serving && location.kind === 'sqlite') await signals.start();
    return { clock, signals, stop: async () => signals.close() };
  }
  const shared = new DatabaseClock(database, clock);
  if (clockOf === 'database') await shared.start();
  const { PostgresSignals } = await import('./postgres/signals.ts');
  const signals = new PostgresSignals(location, database, clock, log);
  if (serving) signals.start();
  return {
    clock: clockOf === 'database' ? shared : clock,
    signals,
    stop: async () => {
      shared.close();
      await signals.close();
    },
  };
}

/** Fails at the start instead of at the first secret. @returns the sealed text */
async function checkKey(database: Database, sealer: Sealer): Promise<string> {
  const value = (await readKeyCheck(database)) ?? (await writeKeyCheck(database, sealer));
  try {
    sealer.open(KEY_CHECK, value);
    return value;
  } catch (cause) {
    throw new StoreError(
      'STORE_WRONG_KEY',
      'this database was made with another APP_KEY; set APP_KEY, or app.key beside a SQLite database, to the one it was made with',
      { cause },
    );
  }
}

async function readKeyCheck(database: Database): Promise<string | undefined> {
  return (await one(database, 'installation', { key: KEY_CHECK }, ['value']))?.value;
}

/** @returns another process's, if two came at once */
async function writeKeyCheck(database: Database, sealer: Sealer): Promise<string> {
  const value = sealer.seal(KEY_CHECK, 'belfry');
  await addMissing(database, 'installation', { key: KEY_CHECK, value });
  return (await readKeyCheck(database)) ?? value;
}
