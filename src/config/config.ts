import { resolve } from 'node:path';
import { isLoopbackHost } from '#domain/http/arrival';
import type { TeamBounds } from '#domain/team/team-bounds';
import { DEFAULT_PLANS, type PlanSettings } from '#people/plans';
import type { ProviderSettings } from '#people/provider';
import type { ProxySettings } from '#people/proxy-claim';
import { findMisspelt } from './misspelt-settings.ts';
import { type DatabaseLocation, readSettings, type SettingName, type Values } from './settings.ts';

export type { DatabaseLocation } from './settings.ts';
export type LogLevel = Values['logLevel'];

/** Settings with these prefixes become one member of `Config`. */
type Grouped = `${'oidc' | 'proxySign' | 'backup' | 'database'}${string}`;
type InBytes = 'maxWaitingPayloadMb' | 'historyMaxMb';
type TeamBound = 'maxCronsPerTeam' | 'maxQueuesPerTeam';
type Alone = {
  [Name in Exclude<keyof Values, Grouped | TeamBound | InBytes | 'plans'>]: Values[Name];
};

/** Frozen: no setting changes while the service runs. */
export interface Config extends Alone, PlanSettings {
  /** A SQLite path is absolute. */
  database: DatabaseLocation;
  provider: ProviderSettings | null;
  proxySignIn: ProxySettings | null;
  teamBounds: TeamBounds;
  mailFrom: string;
  /** At most `historyDays`. */
  successHistoryDays: number;
  historyMaxBytes: number | null;
  /** If a proxy is in front, a loopback socket doesn't prove a local request. */
  isBehindProxy: boolean;
  backups: { folder: string; everyHours: number; keep: number } | null;
}

/** One line each, without secrets. */
export interface ConfigErrors {
  errors: readonly string[];
}

interface Rule {
  /** Skipped if one of these is wrong. */
  of: SettingName[];
  isBroken(values: Values): boolean;
  says: string | ((values: Values) => string);
}

const hasProvider = (s: Values) => s.oidcIssuer !== null && s.oidcClientId !== null;
const hasProxy = (s: Values) => s.proxySignInHeader !== null && s.proxySignInFrom.length > 0;
const hasSome = (...values: unknown[]) => values.some((value) => value !== null);
const isPostgres = (s: Values) => s.databaseUrl.kind === 'postgres';

const RULES: readonly Rule[] = [
  {
    of: ['DATABASE_SCHEMA'],
    isBroken: (s) => s.databaseSchema !== null && !isPostgres(s),
    says: 'DATABASE_SCHEMA: SQLite has no schemas; leave it out, or set DATABASE_URL to postgres://….',
  },
  {
    of: ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
    isBroken: (s) => !hasProvider(s) && hasSome(s.oidcIssuer, s.oidcClientId, s.oidcClientSecret),
    says: 'OIDC_ISSUER: sign-in by a provider needs OIDC_ISSUER and OIDC_CLIENT_ID; set both, or none of OIDC_….',
  },
  {
    of: ['PROXY_SIGN_IN_HEADER', 'PROXY_SIGN_IN_FROM'],
    isBroken: (s) => {
      const named = headersOfProxy(s);
      return hasProxy(s) && new Set(named).size < named.length;
    },
    says: 'PROXY_SIGN_IN_HEADER: two of PROXY_SIGN_IN_… name the same header; email, name and groups have one each.',
  },
  {
    of: ['PROXY_SIGN_IN_HEADER', 'PROXY_SIGN_IN_FROM'],
    isBroken: (s) => s.proxySignInHeader !== null && !hasProxy(s),
    says: 'PROXY_SIGN_IN_FROM: not set, and anybody can send a header; name the addresses from which the proxy connects, such as 127.0.0.1 or 172.18.0.5.',
  },
  {
    of: ['PROXY_SIGN_IN_HEADER', 'PROXY_SIGN_IN_FROM'],
    isBroken: (s) =>
      s.proxySignInHeader === null &&
      (s.proxySignInFrom.length > 0 || hasSome(...headersOfProxy(s), s.proxySignOutUrl)),
    says: 'PROXY_SIGN_IN_HEADER: not set; sign-in by a proxy needs it and PROXY_SIGN_IN_FROM. Set both, or none of PROXY_….',
  },
  {
    of: ['ROLE'],
    isBroken: (s) => s.role !== 'all' && !isPostgres(s),
    says: ({ role }) =>
      `ROLE: "${role}" needs a Postgres database; set DATABASE_URL to postgres://… or ROLE to "all".`,
  },
  {
    of: ['BACKUP_FOLDER'],
    isBroken: (s) => s.backupFolder !== null && s.databaseUrl.kind !== 'sqlite',
    says: 'BACKUP_FOLDER: only a SQLite file is copied; leave it out, and use pg_dump for Postgres.',
  },
  {
    of: ['SUCCESS_HISTORY_DAYS', 'HISTORY_DAYS'],
    isBroken: (s) => (s.successHistoryDays ?? 0) > s.historyDays,
    says: (s) =>
      `SUCCESS_HISTORY_DAYS: ${s.successHistoryDays} is more than HISTORY_DAYS, which is ${s.historyDays}; successes are kept that long at most.`,
  },
  {
    of: ['PASSWORD_SIGN_IN'],
    isBroken: (s) => !s.passwordSignIn && !hasProvider(s) && !hasProxy(s),
    says: 'PASSWORD_SIGN_IN: with "off" no one could sign in; set OIDC_ISSUER and OIDC_CLIENT_ID, or PROXY_SIGN_IN_HEADER and PROXY_SIGN_IN_FROM, or leave it on.',
  },
  {
    of: ['PROXY_SIGN_IN_HEADER'],
    isBroken: (s) => hasProvider(s) && hasProxy(s),
    says: 'PROXY_SIGN_IN_HEADER: people sign in by the provider (OIDC_ISSUER) or by a proxy, not by both; leave one of them out.',
  },
  {
    of: ['GROUP_ROLES'],
    isBroken: (s) => {
      const namesGroups = hasProvider(s) || (hasProxy(s) && s.proxySignInGroupsHeader !== null);
      return s.groupRoles.length > 0 && !namesGroups;
    },
    says: 'GROUP_ROLES: there is no source of groups; set OIDC_ISSUER and OIDC_CLIENT_ID, or PROXY_SIGN_IN_HEADER and PROXY_SIGN_IN_GROUPS_HEADER, or leave it out.',
  },
  {
    of: ['APP_KEY'],
    isBroken: (s) => isPostgres(s) && s.appKey === null,
    says: 'APP_KEY: not set, and required with a Postgres database; it must be 32 bytes written as base64, such as `openssl rand -base64 32` prints.',
  },
];

function headersOfProxy(s: Values): string[] {
  const all = [s.proxySignInHeader, s.proxySignInNameHeader, s.proxySignInGroupsHeader];
  return all.filter((name) => name !== null);
}

/** Reads only files that a `NAME_FILE` names, and creates none. Relative SQLite paths start from `cwd`. */
export function readConfig(env: NodeJS.ProcessEnv, cwd: string): Config | ConfigErrors {
  const { values, errors: wrong } = readSettings(env);
  const broken = RULES.filter(
    (rule) => !rule.of.some((name) => wrong.has(name)) && rule.isBroken(values),
  );
  const errors = [
    ...wrong.values(),
    ...broken.map(({ says }) => (typeof says === 'string' ? says : says(values))),
    ...findMisspelt(env),
  ];
  return errors.length > 0 ? { errors } : Object.freeze(gatherConfig(values, cwd));
}

const MB = 2 ** 20;

function gatherConfig(values: Values, cwd: string): Config {
  const { maxCronsPerTeam, maxQueuesPerTeam, plans, ...rest } = values;
  const { maxWaitingPayloadMb, historyMaxMb, ...others } = rest;
  const grouped = /^(?:oidc|proxySign|backup|database)/;
  const alone = Object.entries(others).filter(([name]) => !grouped.test(name));
  const host = values.baseUrl === null ? 'localhost' : new URL(values.baseUrl).hostname;
  const [firstPlan] = plans ?? [];
  const proxySignIn = proxySignInOf(values);
  return {
    ...(Object.fromEntries(alone) as Alone),
    ...(plans && firstPlan ? { plans, newTeamPlan: firstPlan.name } : DEFAULT_PLANS),
    database: databaseOf(values, cwd),
    provider: providerOf(values),
    proxySignIn,
    isBehindProxy: values.trustedProxies > 0 || proxySignIn !== null || hasPublicAddress(values),
    teamBounds: {
      crons: maxCronsPerTeam,
      queues: maxQueuesPerTeam,
      waitingPayloadBytes: maxWaitingPayloadMb * MB,
    },
    mailFrom: values.mailFrom ?? `belfry@${host}`,
    successHistoryDays: values.successHistoryDays ?? values.historyDays,
    historyMaxBytes: historyMaxMb === null ? null : historyMaxMb * MB,
    backups:
      values.backupFolder === null
        ? null
        : {
            folder: resolve(cwd, values.backupFolder),
            everyHours: values.backupEveryHours,
            keep: values.backupKeep,
          },
  };
}

function databaseOf({ databaseUrl, databaseSchema }: Values, cwd: string): DatabaseLocation {
  if (databaseUrl.kind === 'sqlite')
    return { kind: 'sqlite', path: resolve(cwd, databaseUrl.path) };
  if (databaseUrl.kind !== 'postgres' || databaseSchema === null) return databaseUrl;
  return { ...databaseUrl, schema: databaseSchema };
}

function providerOf(values: Values): ProviderSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = values;
  if (issuer === null || clientId === null) return null;
  const name = values.oidcName ?? new URL(issuer).hostname;
  const { oidcScopes: scopes, oidcGroupsClaim: groupsClaim } = values;
  return { issuer, clientId, clientSecret, name, scopes, groupsClaim };
}

function proxySignInOf(values: Values): ProxySettings | null {
  const { proxySignInHeader: emailHeader, proxySignInFrom: from } = values;
  if (emailHeader === null || from.length === 0) return null;
  return {
    emailHeader,
    nameHeader: values.proxySignInNameHeader,
    groupsHeader: values.proxySignInGroupsHeader,
    groupSeparator: values.proxySignInGroupsSeparator,
    from,
    signOutUrl: values.proxySignOutUrl,
  };
}

function hasPublicAddress({ baseUrl }: Pick<Config, 'baseUrl'>): boolean {
  return baseUrl !== null && !isLoopbackHost(new URL(baseUrl).hostname);
}

/** Both its socket and its public address are loopback. */
export function servesLoopbackOnly(config: Config): boolean {
  return isLoopbackHost(config.host) && !hasPublicAddress(config);
}

/** With the real port. */
export function publicAddress(config: Config, listeningPort: number): string {
  return config.baseUrl ?? `http://localhost:${listeningPort}`;
}
