import { resolve } from 'node:path';
import { isLoopbackHost } from '#domain/arrival';
import type { Cidr } from '#domain/network';
import type { TeamBounds } from '#domain/team-bounds';
import type { GroupRole } from '#people/groups';
import { DEFAULT_PLANS, type PlanSettings } from '#people/plans';
import type { ProviderSettings } from '#people/provider';
import type { ProxySettings } from '#people/proxy-claim';
import { findMisspelt } from './misspelt-settings.ts';
import {
  SettingsReader,
  type DatabaseLocation,
  type LOG_LEVELS,
  type ROLES,
  type SIGN_UPS,
} from './settings.ts';

export type { DatabaseLocation } from './settings.ts';
export type Role = (typeof ROLES)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The settings, read from the environment once at start. Frozen: no setting changes while the service runs. */
export interface Config extends PlanSettings {
  host: string;
  /** 0: the system chooses a free port. */
  port: number;
  /** The public address, without a slash at its end; null if it follows from the port (`publicAddress`). */
  baseUrl: string | null;
  /** The path of a SQLite database is absolute. */
  database: DatabaseLocation;
  /** The 32 bytes of APP_KEY; null if the key is in a file beside the database (`loadAppKey`). */
  appKey: Buffer | null;
  role: Role;
  maxConcurrentRequests: number;
  shutdownGraceMs: number;
  /** Requests per minute and client address; null for no limit. */
  apiRateLimit: number | null;
  trustedProxies: number;
  /** As `judgeAddress` of domain/network expects them. */
  allowedNetworks: readonly Cidr[];
  /** Whether `/echo` answers and may be called (§2.12). */
  hasEcho: boolean;
  /** `ip` or `ip:port` as `dns.Resolver.setServers` expects them; null for the system's resolvers. */
  dnsServers: readonly string[] | null;
  signUp: (typeof SIGN_UPS)[number];
  /** By which people may sign in besides, by OpenID Connect; null: none. */
  provider: ProviderSettings | null;
  /** The proxy in front that says in headers who people are; null: none is believed. */
  proxySignIn: ProxySettings | null;
  /** Which group of theirs gives which role in which team. */
  groupRoles: readonly GroupRole[];
  /** How many hours after a sign-in by the provider its session ends; null: as every other. */
  providerSessionHours: number | null;
  /** False: that provider or proxy is the only way in. */
  passwordSignIn: boolean;
  maxTeamsPerUser: number;
  teamBounds: TeamBounds;
  /** Further names of headers that hold secrets, as given. Common names are known without this. */
  secretHeaders: readonly string[];
  /** How many days after the sign-in a session ends, even if it is in use. */
  sessionMaxDays: number;
  /** Null: mails are written to the log instead. */
  smtpUrl: string | null;
  mailFrom: string;
  historyDays: number;
  /** Not more than `historyDays`. */
  successHistoryDays: number;
  responseKeepBytes: number;
  /**
   * The folder for copies of a SQLite database, how often they are made, and how many are kept; null: none are made.
   */
  backups: { folder: string; everyHours: number; keep: number } | null;
  metricsToken: string | null;
  /** How many crons, queues and teams each `/metrics` lists one by one; 0 lists none. */
  metricsMaxSources: number;
  /** The URL to call every minute while the engine works. */
  heartbeatUrl: string | null;
  logLevel: LogLevel;
}

/** Everything that is wrong with the environment, one line each. No line shows a secret. */
export interface ConfigErrors {
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

function readProvider(settings: SettingsReader): ProviderSettings | null {
  const issuer = settings.read('OIDC_ISSUER');
  const clientId = settings.read('OIDC_CLIENT_ID');
  const clientSecret = settings.read('OIDC_CLIENT_SECRET');
  const name = settings.read('OIDC_NAME');
  const scopes = settings.read('OIDC_SCOPES');
  const groupsClaim = settings.read('OIDC_GROUPS_CLAIM');
  const told = settings.errors.some((line) => /^OIDC_(?:ISSUER|CLIENT_ID)(?:_FILE)?:/.test(line));
  if (issuer === null || clientId === null) {
    const isHalf = issuer !== null || clientId !== null || clientSecret !== null;
    if (isHalf && !told) {
      settings.errors.push(
        'OIDC_ISSUER: sign-in by a provider needs OIDC_ISSUER and OIDC_CLIENT_ID; set both, or none of OIDC_….',
      );
    }
    return null;
  }
  const called = name ?? new URL(issuer).hostname;
  return { issuer, clientId, clientSecret, name: called, scopes, groupsClaim };
}

/** The first of the operator's plans is every new team's. */
function readPlans(settings: SettingsReader): PlanSettings {
  const plans = settings.read('PLANS');
  const [first] = plans ?? [];
  if (plans === null || first === undefined) return DEFAULT_PLANS;
  return { plans: Object.freeze(plans), newTeamPlan: first.name };
}

const SEPARATORS = { comma: ',', bar: '|', semicolon: ';' };

function readProxySignIn(settings: SettingsReader): ProxySettings | null {
  const emailHeader = settings.read('PROXY_SIGN_IN_HEADER');
  const from = Object.freeze(settings.read('PROXY_SIGN_IN_FROM'));
  const nameHeader = settings.read('PROXY_SIGN_IN_NAME_HEADER');
  const groupsHeader = settings.read('PROXY_SIGN_IN_GROUPS_HEADER');
  const groupSeparator = SEPARATORS[settings.read('PROXY_SIGN_IN_GROUPS_SEPARATOR')];
  const signOutUrl = settings.read('PROXY_SIGN_OUT_URL');
  const told = settings.errors.some((line) =>
    /^PROXY_SIGN_IN_(?:HEADER|FROM)(?:_FILE)?:/.test(line),
  );
  if (emailHeader !== null && from.length > 0) {
    const named = [emailHeader, nameHeader, groupsHeader].filter((name) => name !== null);
    if (new Set(named).size < named.length) {
      settings.errors.push(
        'PROXY_SIGN_IN_HEADER: two of PROXY_SIGN_IN_… name the same header; email, name and groups have one each.',
      );
    }
    return { emailHeader, nameHeader, groupsHeader, groupSeparator, from, signOutUrl };
  }
  if (emailHeader !== null && !told) {
    settings.errors.push(
      'PROXY_SIGN_IN_FROM: not set, and anybody can send a header; name the addresses from which the proxy connects, such as 127.0.0.1 or 172.18.0.5.',
    );
  }
  const others =
    [nameHeader, groupsHeader, signOutUrl].some((each) => each !== null) || from.length > 0;
  if (emailHeader === null && others && !told) {
    settings.errors.push(
      'PROXY_SIGN_IN_HEADER: not set; sign-in by a proxy needs it and PROXY_SIGN_IN_FROM. Set both, or none of PROXY_….',
    );
  }
  return null;
}

function checkTogether(
  { role, database, appKey, backups, historyDays, successHistoryDays, ...config }: Config,
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
  const { provider, proxySignIn } = config;
  if (!config.passwordSignIn && provider === null && proxySignIn === null) {
    settings.errors.push(
      'PASSWORD_SIGN_IN: "off" would leave nobody a way in; set OIDC_ISSUER and OIDC_CLIENT_ID, or PROXY_SIGN_IN_HEADER and PROXY_SIGN_IN_FROM, or leave it on.',
    );
  }
  if (provider !== null && proxySignIn !== null) {
    settings.errors.push(
      'PROXY_SIGN_IN_HEADER: people sign in by the provider (OIDC_ISSUER) or by a proxy, not by both; leave one of them out.',
    );
  }
  const namesGroups = provider !== null || (proxySignIn?.groupsHeader ?? null) !== null;
  if (config.groupRoles.length > 0 && !namesGroups) {
    settings.errors.push(
      'GROUP_ROLES: nothing says who is in which group; set OIDC_ISSUER and OIDC_CLIENT_ID, or PROXY_SIGN_IN_HEADER and PROXY_SIGN_IN_GROUPS_HEADER, or leave it out.',
    );
  }
  // A key that cannot be parsed has been reported already.
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
    ...readPlans(settings),
    signUp: settings.read('SIGN_UP'),
    provider: readProvider(settings),
    proxySignIn: readProxySignIn(settings),
    groupRoles: Object.freeze(settings.read('GROUP_ROLES')),
    providerSessionHours: settings.read('PROVIDER_SESSION_HOURS'),
    passwordSignIn: settings.read('PASSWORD_SIGN_IN') === 'on',
    maxTeamsPerUser: settings.read('MAX_TEAMS_PER_USER'),
    teamBounds: {
      crons: settings.read('MAX_CRONS_PER_TEAM'),
      queues: settings.read('MAX_QUEUES_PER_TEAM'),
      waitingPayloadBytes: settings.read('MAX_WAITING_PAYLOAD_MB') * 2 ** 20,
    },
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
 * Reads and checks the whole environment. Reads no files except those that a `NAME_FILE` names, and creates none.
 * Relative paths of a SQLite database start from `cwd`.
 */
export function readConfig(env: NodeJS.ProcessEnv, cwd: string): Config | ConfigErrors {
  const settings = new SettingsReader(env);
  const config = gatherConfig(settings, cwd);
  checkTogether(config, settings);
  settings.errors.push(...findMisspelt(env));
  return settings.errors.length > 0 ? { errors: settings.errors } : Object.freeze(config);
}

/** Whether BASE_URL names an address that other machines reach. */
function hasPublicAddress({ baseUrl }: Config): boolean {
  return baseUrl !== null && !isLoopbackHost(new URL(baseUrl).hostname);
}

/** Whether only this machine is meant to reach the service: it listens on loopback, and so does its public address. */
export function servesLoopbackOnly(config: Config): boolean {
  return isLoopbackHost(config.host) && !hasPublicAddress(config);
}

/** Whether a setting says that a proxy stands in front, so that a loopback socket does not tell where a request is from. */
export function isBehindProxy(config: Config): boolean {
  return config.trustedProxies > 0 || config.proxySignIn !== null || hasPublicAddress(config);
}

/** The public address of the service, given the port that it really listens on. */
export function publicAddress(config: Config, listeningPort: number): string {
  return config.baseUrl ?? `http://localhost:${listeningPort}`;
}
