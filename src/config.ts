import { resolve } from 'node:path';
import type { Cidr } from '#domain/network';
import {
  SettingsReader,
  type DatabaseLocation,
  type LOG_LEVELS,
  type Plan,
  type ROLES,
  type SIGN_UPS,
} from './settings.ts';

export type { DatabaseLocation, Plan } from './settings.ts';
export type Role = (typeof ROLES)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The environment, read once at start. Frozen: nothing changes a setting while the service runs. */
export interface Config {
  host: string;
  /** 0 asks the system for a free port. */
  port: number;
  /** The public address, without a slash at its end; null when it follows from the port (`publicAddress`). */
  baseUrl: string | null;
  /** A SQLite path is absolute. */
  database: DatabaseLocation;
  /** The 32 bytes of APP_KEY; null when the key is to be found beside the database (`loadAppKey`). */
  appKey: Buffer | null;
  role: Role;
  maxConcurrentRequests: number;
  shutdownGraceMs: number;
  /** Requests per minute and client address; null is no limit. */
  apiRateLimit: number | null;
  trustedProxies: number;
  /** As `judgeAddress` of domain/network takes them. */
  allowedNetworks: readonly Cidr[];
  /** Whether `/echo` answers, and may be called (§2.12). */
  hasEcho: boolean;
  /** `ip` or `ip:port` as `dns.Resolver.setServers` takes them; null asks the system's resolvers. */
  dnsServers: readonly string[] | null;
  /** Never empty; the first is a new team's plan. */
  plans: readonly Plan[];
  signUp: (typeof SIGN_UPS)[number];
  /** Teams that one user may own. */
  maxTeamsPerUser: number;
  /** Names of headers that hold secrets beside those that are known by their names, as given. */
  secretHeaders: readonly string[];
  /** Days after its sign-in at which a session ends, however much it is used. */
  sessionMaxDays: number;
  /** Null: mails are written to the log. */
  smtpUrl: string | null;
  mailFrom: string;
  historyDays: number;
  /** At most `historyDays`. */
  successHistoryDays: number;
  responseKeepBytes: number;
  /** Where a SQLite database is copied to, so often, and how many copies stay; null: nowhere. */
  backups: { folder: string; everyHours: number; keep: number } | null;
  metricsToken: string | null;
  /** Crons, queues and teams, of each kind, that `/metrics` tells of one by one; 0 tells of none. */
  metricsMaxSources: number;
  /** Called every minute while the engine works. */
  heartbeatUrl: string | null;
  logLevel: LogLevel;
}

/** Everything that is wrong with the environment, one line each, none of which shows a secret. */
interface ConfigErrors {
  errors: readonly string[];
}

function readDatabase(settings: SettingsReader, cwd: string): DatabaseLocation {
  const database = settings.read('DATABASE_URL');
  const schema = settings.read('DATABASE_SCHEMA');
  if (database.kind === 'postgres') return schema === null ? database : { ...database, schema };
  if (schema !== null) {
    settings.errors.push(
      'DATABASE_SCHEMA: SQLite has no schemas; leave it out, or set DATABASE_URL to postgres://….',
    );
  }
  if (database.kind !== 'sqlite') return database;
  return { kind: 'sqlite', path: resolve(cwd, database.path) };
}

function readBackups(settings: SettingsReader, cwd: string): Config['backups'] {
  const folder = settings.read('BACKUP_FOLDER');
  const everyHours = settings.read('BACKUP_EVERY_HOURS');
  const keep = settings.read('BACKUP_KEEP');
  return folder === null ? null : { folder: resolve(cwd, folder), everyHours, keep };
}

function checkTogether(
  { role, database, appKey, backups, historyDays, successHistoryDays }: Config,
  settings: SettingsReader,
): void {
  const onPostgres = database.kind === 'postgres';
  if (role !== 'all' && !onPostgres) {
    settings.errors.push(
      `ROLE: "${role}" needs a Postgres database; set DATABASE_URL to postgres://… or ROLE to "all".`,
    );
  }
  if (backups !== null && database.kind !== 'sqlite') {
    settings.errors.push(
      'BACKUP_FOLDER: only a SQLite file is copied; leave it out, and use pg_dump for Postgres.',
    );
  }
  if (successHistoryDays > historyDays) {
    settings.errors.push(
      `SUCCESS_HISTORY_DAYS: ${successHistoryDays} is more than HISTORY_DAYS, which is ${historyDays}; successes are kept that long at most.`,
    );
  }
  // A key that did not parse has its own line already.
  const told = settings.errors.some((line) => /^APP_KEY(_FILE)?:/.test(line));
  if (onPostgres && appKey === null && !told) {
    settings.errors.push(
      'APP_KEY: not set, and required with a Postgres database; it must be 32 bytes written as base64, such as `openssl rand -base64 32` prints.',
    );
  }
}

function gatherConfig(settings: SettingsReader, cwd: string): Config {
  const baseUrl = settings.read('BASE_URL');
  const rateLimit = settings.read('API_RATE_LIMIT');
  const historyDays = settings.read('HISTORY_DAYS');
  const host = baseUrl === null ? 'localhost' : new URL(baseUrl).hostname;
  return {
    host: settings.read('HOST'),
    port: settings.read('PORT'),
    baseUrl,
    database: readDatabase(settings, cwd),
    appKey: settings.read('APP_KEY'),
    role: settings.read('ROLE'),
    maxConcurrentRequests: settings.read('MAX_CONCURRENT_REQUESTS'),
    shutdownGraceMs: settings.read('SHUTDOWN_GRACE_SECONDS') * 1000,
    apiRateLimit: rateLimit === 0 ? null : rateLimit,
    trustedProxies: settings.read('TRUSTED_PROXIES'),
    allowedNetworks: Object.freeze(settings.read('ALLOWED_NETWORKS')),
    hasEcho: settings.read('ECHO') === 'on',
    dnsServers: Object.freeze(settings.read('DNS_SERVERS')),
    plans: Object.freeze(settings.read('PLANS')),
    signUp: settings.read('SIGN_UP'),
    maxTeamsPerUser: settings.read('MAX_TEAMS_PER_USER'),
    secretHeaders: Object.freeze(settings.read('SECRET_HEADERS')),
    sessionMaxDays: settings.read('SESSION_MAX_DAYS'),
    smtpUrl: settings.read('SMTP_URL'),
    mailFrom: settings.read('MAIL_FROM') ?? `belfry@${host}`,
    historyDays,
    successHistoryDays: settings.read('SUCCESS_HISTORY_DAYS') ?? historyDays,
    responseKeepBytes: settings.read('RESPONSE_KEEP_BYTES'),
    backups: readBackups(settings, cwd),
    metricsToken: settings.read('METRICS_TOKEN'),
    metricsMaxSources: settings.read('METRICS_MAX_SOURCES'),
    heartbeatUrl: settings.read('HEARTBEAT_URL'),
    logLevel: settings.read('LOG_LEVEL'),
  };
}

/**
 * Reads and checks the whole environment. Touches no file except those that a `NAME_FILE` names, and makes none.
 * `cwd` is what relative paths of a SQLite database start from.
 */
export function readConfig(env: NodeJS.ProcessEnv, cwd: string): Config | ConfigErrors {
  const settings = new SettingsReader(env);
  const config = gatherConfig(settings, cwd);
  checkTogether(config, settings);
  return settings.errors.length > 0 ? { errors: settings.errors } : Object.freeze(config);
}

/** True for an address that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare);
}

/** False where others may come, by the listening socket or by a proxy in front of it. */
export function servesLoopbackOnly({ host, baseUrl }: Config): boolean {
  const isPublic = baseUrl !== null && !isLoopbackHost(new URL(baseUrl).hostname);
  return isLoopbackHost(host) && !isPublic;
}

/** The public address of the service, once the port it really listens on is known. */
export function publicAddress(config: Config, listeningPort: number): string {
  return config.baseUrl ?? `http://localhost:${listeningPort}`;
}
