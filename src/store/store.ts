import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import { AlertStore } from './alerts.ts';
import { ApiWindowStore } from './api-windows.ts';
import { ApiTokenStore } from './api-tokens.ts';
import { AttemptStore } from './attempts.ts';
import { AuthRecordStore } from './auth-records.ts';
import { BulkTaskStore } from './bulk-tasks.ts';
import { ChannelStore } from './channels.ts';
import { CronStore } from './crons.ts';
import type { Database, OnStatement } from './database.ts';
import type { DialectName } from './dialect.ts';
import { StoreError } from './errors.ts';
import { ExecutionStore } from './executions.ts';
import { hotStatement, runHot } from './hot.ts';
import { InvitationStore } from './invitations.ts';
import { JobStore } from './jobs.ts';
import { ListStore } from './lists.ts';
import { MemberStore } from './members.ts';
import { migrateToLatest } from './migrations/index.ts';
import { NodeStore } from './nodes.ts';
import { NoticeStore } from './notices.ts';
import { OutcomeStore } from './outcomes.ts';
import { DatabaseClock } from './postgres/clock.ts';
import { openPostgres } from './postgres/open.ts';
import { PostgresSignals } from './postgres/signals.ts';
import { ProofStore } from './proofs.ts';
import { PulseStore } from './pulse.ts';
import { QueueStore } from './queues.ts';
import { RegistrationStore } from './registration.ts';
import { RetentionStore } from './retention.ts';
import { KEY_CHECK, Sealer } from './seal.ts';
import type { SignalBus } from './signals.ts';
import { openSqliteFile, openSqliteMemory } from './sqlite/open.ts';
import { takeServingLock } from './sqlite/serving-lock.ts';
import { SqliteSignals } from './sqlite/signals.ts';
import { TeamStore } from './teams.ts';
import { UsageStore } from './usage.ts';
import { UserStore } from './users.ts';
import { WindowStore } from './windows.ts';

export type StoreLocation =
  | { kind: 'sqlite'; path: string }
  | { kind: 'sqlite-memory' }
  | { kind: 'postgres'; url: string };

export interface StoreOptions {
  location: StoreLocation;
  /** 32 bytes: seals secrets. */
  appKey: Uint8Array;
  clock: Clock;
  /**
   * Whose clock due times, leases and windows go by on Postgres: the database's, which all nodes share, or
   * `clock` itself, for tests that own the timeline. SQLite has one process and always goes by `clock`.
   */
  clockOf?: 'database' | 'given';
  /** Hears of every statement as it ran: for looking at plans and for finding slow ones. */
  onStatement?: OnStatement;
  log: Log;
  /** True for the service, false for the command line, which works beside one. */
  serving: boolean;
}

/** Everything that is kept, by noun. Nothing outside this room holds a database handle. */
export interface Store {
  readonly dialect: DialectName;
  /** The clock that due times and leases go by: the database's on Postgres. */
  readonly clock: Clock;
  readonly signals: SignalBus;
  readonly jobs: JobStore;
  readonly executions: ExecutionStore;
  readonly crons: CronStore;
  readonly queues: QueueStore;
  readonly pulse: PulseStore;
  readonly lists: ListStore;
  readonly outcomes: OutcomeStore;
  readonly bulkTasks: BulkTaskStore;
  readonly teams: TeamStore;
  readonly usage: UsageStore;
  readonly alerts: AlertStore;
  readonly notices: NoticeStore;
  readonly channels: ChannelStore;
  readonly windows: WindowStore;
  readonly users: UserStore;
  readonly registrations: RegistrationStore;
  readonly apiTokens: ApiTokenStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly attempts: AttemptStore;
  readonly authRecords: AuthRecordStore;
  readonly proofs: ProofStore;
  readonly nodes: NodeStore;
  readonly retention: RetentionStore;
  readonly apiWindows: ApiWindowStore;
  /** For the accounts library, which brings its own statements, and for other stores of this room. */
  readonly database: Database;
  readonly sealer: Sealer;
  /** The migrations that opening applied. */
  readonly migrated: readonly string[];
  /** Resolves if the database answers; rejects with STORE_UNAVAILABLE. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the database, takes the right to serve it where that is asked for, and migrates it.
 * Throws StoreErrors whose messages an operator can act on.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { location, serving } = options;
  const onFile = location.kind === 'sqlite';
  const database = await openDatabase(options);
  let giveBack = () => {};
  try {
    if (onFile && serving) giveBack = takeServingLock(location.path);
    return await assemble(options, database, giveBack);
  } catch (error) {
    giveBack();
    await database.close().catch(() => {});
    throw error;
  }
}

async function openDatabase({ location, log, onStatement }: StoreOptions): Promise<Database> {
  if (location.kind === 'sqlite') return openSqliteFile(location.path, onStatement);
  if (location.kind === 'sqlite-memory') return openSqliteMemory(onStatement);
  const onFault = (error: Error) => log.warn('database.connection-lost', { error: error.message });
  return openPostgres(location.url, onFault, onStatement);
}

async function assemble(
  options: StoreOptions,
  database: Database,
  giveBack: () => void,
): Promise<Store> {
  const { appKey, serving } = options;
  const migrated = await migrateToLatest(database.kysely as never, database.dialect);
  const sealer = new Sealer(appKey);
  await checkKey(database, sealer);
  const links = await startLinks(options, database);
  const { clock, signals } = links;
  if (serving && migrated.length > 0) options.log.info('database.migrated', { migrated });
  return {
    dialect: database.dialect,
    clock,
    signals,
    jobs: new JobStore(database, sealer, clock, signals),
    executions: new ExecutionStore(database, sealer, signals),
    crons: new CronStore(database, sealer, signals),
    queues: new QueueStore(database, signals),
    pulse: new PulseStore(database),
    lists: new ListStore(database, clock),
    outcomes: new OutcomeStore(database),
    bulkTasks: new BulkTaskStore(database),
    teams: new TeamStore(database, sealer),
    usage: new UsageStore(database),
    alerts: new AlertStore(database),
    notices: new NoticeStore(database, sealer),
    channels: new ChannelStore(database, sealer),
    windows: new WindowStore(database),
    users: new UserStore(database),
    registrations: new RegistrationStore(database),
    apiTokens: new ApiTokenStore(database),
    members: new MemberStore(database),
    invitations: new InvitationStore(database),
    attempts: new AttemptStore(database),
    authRecords: new AuthRecordStore(database),
    proofs: new ProofStore(database),
    nodes: new NodeStore(database),
    retention: new RetentionStore(database),
    apiWindows: new ApiWindowStore(database),
    database,
    sealer,
    migrated,
    ping: async () => {
      await database.read((db) => runHot(db, database.dialect, askAnything, []));
    },
    close: async () => {
      await links.stop();
      await database.close();
      giveBack();
    },
  };
}

const askAnything = hotStatement<{ key: string }>(
  'ping',
  () => 'select key from installation limit 1',
);

interface Links {
  clock: Clock;
  signals: SignalBus;
  stop(): Promise<void>;
}

/** The clock and the signals, which differ most between the two databases. */
async function startLinks(
  { location, clock, clockOf = 'database', log, serving }: StoreOptions,
  database: Database,
): Promise<Links> {
  if (location.kind !== 'postgres') {
    const signals = new SqliteSignals(database, clock);
    if (serving && location.kind === 'sqlite') signals.start();
    return { clock, signals, stop: async () => signals.close() };
  }
  const shared = new DatabaseClock(database, clock);
  if (clockOf === 'database') await shared.start();
  const signals = new PostgresSignals(location.url, database, clock, log);
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

/** With another APP_KEY no secret would open; better to stop at the start than at the first request. */
async function checkKey(database: Database, sealer: Sealer): Promise<void> {
  const sealed = sealer.seal(KEY_CHECK, 'belfry');
  const { value } = await database.transact(async (trx) => {
    await trx
      .insertInto('installation')
      .values({ key: KEY_CHECK, value: sealed })
      .onConflict((oc) => oc.column('key').doNothing())
      .execute();
    return trx
      .selectFrom('installation')
      .select('value')
      .where('key', '=', KEY_CHECK)
      .executeTakeFirstOrThrow();
  });
  try {
    sealer.open(KEY_CHECK, value);
  } catch (cause) {
    throw new StoreError(
      'STORE_WRONG_KEY',
      'this database was made with another APP_KEY; set APP_KEY (or data/app.key) to the one it was made with',
      { cause },
    );
  }
}
