import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseRanges } from '#domain/http/address-range';
import { isMaskedName } from '#domain/runs/masking';
import { readNetwork } from '#domain/http/network';
import { TEAM_BOUNDS } from '#domain/team/team-bounds';
import { parseGroupRoles } from '#people/groups';
import type { Plan } from '#people/plans';

/** The location of the data. A relative SQLite path is kept as written; `readConfig` makes it absolute. */
export type DatabaseLocation =
  | { kind: 'sqlite'; path: string }
  | { kind: 'sqlite-memory' }
  | { kind: 'postgres'; url: string; schema?: string };

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

interface Setting<T> {
  accepts: string;
  fallback: T;
  shownDefault: string;
  /** True if the value may contain a password or a key. It is then never shown, even if it is wrong. */
  secret?: true;
  parse(text: string): T | null;
}

function text(accepts: string, fallback: string, parse: Setting<string>['parse']): Setting<string> {
  return { accepts, parse, fallback, shownDefault: fallback };
}

function optional<T>(
  accepts: string,
  parse: Setting<T>['parse'],
  more: Partial<Pick<Setting<T>, 'shownDefault' | 'secret'>> = {},
): Setting<T | null> {
  return { accepts, parse, fallback: null, shownDefault: 'none', ...more };
}

function list<T>(accepts: string, parse: Setting<T[]>['parse']): Setting<T[]> {
  return { accepts, parse, fallback: [], shownDefault: 'none' };
}

function wholeNumber(least: number, most: number, fallback: number): Setting<number> {
  return {
    accepts: `a whole number from ${least} to ${most}`,
    fallback,
    shownDefault: String(fallback),
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : null;
    },
  };
}

function optionalNumber(least: number, most: number, shownDefault: string): Setting<number | null> {
  return { ...wholeNumber(least, most, least), fallback: null, shownDefault };
}

function choice<const T>(values: Record<string, T>, fallback: string): Setting<T> {
  const find = (text: string) => (Object.hasOwn(values, text) ? (values[text] ?? null) : null);
  return {
    accepts: `one of: ${Object.keys(values).join(', ')}`,
    fallback: values[fallback] as T,
    shownDefault: fallback,
    parse: find,
  };
}

function oneOf<const T extends string>(choices: readonly T[], fallback: T): Setting<T> {
  return choice(Object.fromEntries(choices.map((each) => [each, each])), fallback);
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : null);

/** Null if an entry is empty or `parseEntry` refuses it. */
function parseList<T>(text: string, parseEntry: (entry: string) => T | null): T[] | null {
  const entries = text.split(',').map((entry) => parseEntry(entry.trim()));
  return entries.every((entry) => entry !== null) ? entries : null;
}

function parseHost(text: string): string | null {
  if (isIP(text) !== 0) return text;
  const isName =
    /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
  // Only digits and dots, but no valid address: that is a typing error and not a name.
  return isName.test(text) && !/^[\d.]+$/.test(text) ? text : null;
}

function parseBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  const { username, password, search, hash } = url;
  if (username !== '' || password !== '' || search !== '' || hash !== '') return null;
  const path = url.pathname.replace(/\/$/, '');
  // Only characters that need no escaping, so that the path reads the same everywhere.
  return path.length <= 200 && /^(?:\/[\w.~-]*[\w~-])*$/.test(path) ? url.origin + path : null;
}

function parseDatabase(text: string): DatabaseLocation | null {
  if (text === 'sqlite::memory:') return { kind: 'sqlite-memory' };
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    // `sqlite://data/x` would mean the absolute path /data/x, which is never intended.
    const isPath = path !== '' && !/^\/\/(?!\/)/.test(path) && !path.includes('\0');
    return isPath && !path.endsWith('/') ? { kind: 'sqlite', path } : null;
  }
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)
    ? { kind: 'postgres', url: text }
    : null;
}

const DATABASE_URL: Setting<DatabaseLocation> = {
  accepts: 'sqlite:<path>, sqlite::memory: or postgres://user:password@host:port/database',
  fallback: { kind: 'sqlite', path: './data/belfry.db' },
  shownDefault: 'sqlite:./data/belfry.db',
  secret: true,
  parse: parseDatabase,
};

function parseAppKey(text: string): Buffer | null {
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
  return bytes?.length === 32 ? bytes : null;
}

function parseDnsServer(text: string): string | null {
  if (isIP(text) !== 0) return text;
  const parts = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (parts === undefined) return null;
  const port = parts['port'] === undefined ? 53 : Number(parts['port']);
  const isAddress = isIP(parts['v6'] ?? '') === 6 || isIP(parts['v4'] ?? '') === 4;
  return isAddress && port >= 1 && port <= 65_535 ? text : null;
}

function parsePlan(text: string): Plan | null {
  const parts = /^(?<name>[A-Za-z0-9][\w.-]{0,39})=(?<limit>\d{1,12}|unlimited)$/.exec(
    text,
  )?.groups;
  if (parts === undefined) return null;
  const limit = parts['limit'] ?? '';
  return { name: parts['name'] ?? '', monthlyLimit: limit === 'unlimited' ? null : Number(limit) };
}

function parsePlans(text: string): Plan[] | null {
  const plans = parseList(text, parsePlan);
  const distinct = new Set(plans?.map((plan) => plan.name)).size;
  return distinct === plans?.length ? plans : null;
}

function parseSmtpUrl(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' ? text : null;
}

function parseHeartbeatUrl(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && text.length <= 2000 ? url.href : null;
}

/** The text is unchanged: a provider compares it exactly. */
function parseIssuer(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || text.length > 1000) return null;
  const { protocol, hostname, username, password, search, hash } = url;
  if (username !== '' || password !== '' || search !== '' || hash !== '') return null;
  const isHere =
    protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return protocol === 'https:' || isHere ? text : null;
}

function parseScopes(text: string): string | null {
  const scopes = text.split(/ +/);
  const arePlain = scopes.every((scope) => /^[!#-[\]-~]{1,100}$/.test(scope));
  return arePlain && scopes.length <= 30 && scopes.includes('openid') ? scopes.join(' ') : null;
}

/** Headers that clients send by default name no user. */
const CLIENTS_OWN =
  /^(?:accept|access-|authorization|connection|content-|cookie|forwarded|from|host|if-|origin|proxy-|referer|sec-|te|trailer|transfer-|upgrade|user-agent|via|x-forwarded-(?:for|host|proto|port)|x-real-ip|x-requested-with)/;

/** In lower case. No underscore: servers and proxies read it as a hyphen, or not, and so let other headers through. */
function parsePersonHeader(text: string): string | null {
  const name = text.toLowerCase();
  const isName = /^[a-z][a-z0-9-]{0,99}$/.test(name);
  return isName && !CLIENTS_OWN.test(name) ? name : null;
}

/** A URL, or a path on the public address. */
function parseSignOutUrl(text: string): string | null {
  if (text.length > 1000) return null;
  if (/^\/(?![/\\])[!-[\]-~]*$/.test(text)) return text;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' ? url.href : null;
}

function parseMailFrom(text: string): string | null {
  const shape = /^(?:[^<>"\p{Cc}]{0,100}<[^\s<>@,;"]+@[^\s<>@,;"]+>|[^\s<>@,;"]+@[^\s<>@,;"]+)$/u;
  return text.length <= 320 && shape.test(text) ? text : null;
}

/**
 * In the order of docs/configuration.md (a test compares them). Each can also be given as
 * `NAME_FILE`, the path of a file with the value.
 */
export const SETTINGS = {
  HOST: text('an IP address or a host name', '127.0.0.1', parseHost),
  PORT: wholeNumber(0, 65_535, 3000),
  BASE_URL: optional(
    'an http or https address such as https://belfry.example.com, or with a path such as https://tools.example.com/belfry',
    parseBaseUrl,
    { shownDefault: 'http://localhost:<PORT>' },
  ),
  DATABASE_URL,
  DATABASE_SCHEMA: optional(
    'up to 50 lower-case letters, digits and underscores, not beginning with a digit or pg_',
    // The same with and without quotes, and short enough to be part of a channel's name.
    matching(/^(?!pg_)[a-z_][a-z0-9_]{0,49}$/),
    { shownDefault: 'public' },
  ),
  APP_KEY: optional(
    '32 bytes written as base64, such as `openssl rand -base64 32` prints',
    parseAppKey,
    { shownDefault: 'app.key next to a SQLite database; none with Postgres', secret: true },
  ),
  ROLE: oneOf(['all', 'web', 'engine'], 'all'),
  MAX_CONCURRENT_REQUESTS: wholeNumber(1, 100_000, 512),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 3600, 30),
  /** Requests per minute and client address; 0 for no limit. */
  API_RATE_LIMIT: wholeNumber(0, 1_000_000, 60),
  TRUSTED_PROXIES: wholeNumber(0, 100, 0),
  ALLOWED_NETWORKS: list(
    'IPv4 networks in CIDR notation, comma-separated, such as 10.0.0.0/8,192.168.1.0/24',
    (text) => parseList(text, readNetwork),
  ),
  /** Whether `/echo` answers and may be called (§2.12). */
  ECHO: choice({ on: true, off: false }, 'on'),
  /** `ip` or `ip:port` as `dns.Resolver.setServers` expects them. */
  DNS_SERVERS: optional(
    'IP addresses with or without a port, comma-separated, such as 1.1.1.1,[2606:4700::1111]:53',
    (text) => parseList(text, parseDnsServer),
    { shownDefault: "the system's" },
  ),
  PLANS: optional(
    'name=limit pairs with different names, comma-separated, such as free=1000,pro=unlimited',
    parsePlans,
    { shownDefault: 'unlimited for the first team, free=1000 for others' },
  ),
  SIGN_UP: oneOf(['invite', 'open'], 'invite'),
  OIDC_ISSUER: optional(
    'the https issuer URL of the provider (http on this machine only)',
    parseIssuer,
  ),
  OIDC_CLIENT_ID: optional('1 to 300 printable ASCII characters', matching(/^[ -~]{1,300}$/)),
  OIDC_CLIENT_SECRET: optional(
    '1 to 1,000 printable ASCII characters',
    matching(/^[ -~]{1,1000}$/),
    { secret: true },
  ),
  OIDC_NAME: optional(
    'what people call the provider, in up to 60 characters',
    matching(/^[^\p{Cc}]{1,60}$/u),
    { shownDefault: 'the host name of OIDC_ISSUER' },
  ),
  OIDC_SCOPES: text(
    'scopes separated by blanks, openid among them, such as openid email profile',
    'openid email profile',
    parseScopes,
  ),
  OIDC_GROUPS_CLAIM: text(
    'the name of a claim, in 1 to 200 printable ASCII characters without blanks',
    'groups',
    matching(/^[!-~]{1,200}$/),
  ),
  PROXY_SIGN_IN_HEADER: optional(
    'the name of a header that clients do not send themselves, such as Remote-Email: letters, digits and hyphens',
    parsePersonHeader,
  ),
  PROXY_SIGN_IN_FROM: list(
    'up to 100 addresses or networks (not of all addresses), comma-separated, such as 127.0.0.1,172.18.0.0/16,::1',
    parseRanges,
  ),
  PROXY_SIGN_IN_NAME_HEADER: optional(
    'the name of a header, such as Remote-Name',
    parsePersonHeader,
  ),
  PROXY_SIGN_IN_GROUPS_HEADER: optional(
    'the name of a header, such as Remote-Groups',
    parsePersonHeader,
  ),
  PROXY_SIGN_IN_GROUPS_SEPARATOR: choice({ comma: ',', bar: '|', semicolon: ';' }, 'comma'),
  PROXY_SIGN_OUT_URL: optional(
    'an http or https URL, or a path on the public address such as /oauth2/sign_out',
    parseSignOutUrl,
  ),
  GROUP_ROLES: list(
    'up to 500 of group=team:role, comma-separated, the role admin, member or viewer; names may be in double quotes',
    parseGroupRoles,
  ),
  PROVIDER_SESSION_HOURS: optionalNumber(1, 8760, 'as SESSION_MAX_DAYS'),
  PASSWORD_SIGN_IN: choice({ on: true, off: false }, 'on'),
  MAX_TEAMS_PER_USER: wholeNumber(1, 10_000, 10),
  MAX_CRONS_PER_TEAM: wholeNumber(1, 100_000, TEAM_BOUNDS.crons),
  MAX_QUEUES_PER_TEAM: wholeNumber(1, 100_000, TEAM_BOUNDS.queues),
  MAX_WAITING_PAYLOAD_MB: wholeNumber(1, 1_000_000, TEAM_BOUNDS.waitingPayloadBytes / 2 ** 20),
  /** Names in addition to the common ones. */
  SECRET_HEADERS: list(
    'names of headers, comma-separated, such as X-Customer,X-Account-Number',
    (text) => parseList(text, matching(/^[!#$%&'*+.^_`|~\w-]{1,100}$/)),
  ),
  /** Names in addition to those of the team. */
  MASKED_FIELDS: list('names of fields, comma-separated, such as card_number,iban', (text) =>
    parseList(text, (name) => (isMaskedName(name) ? name : null)),
  ),
  SESSION_MAX_DAYS: wholeNumber(1, 3650, 90),
  /** If it isn't set, mails are written to the log. */
  SMTP_URL: optional('smtp://user:password@host:port or smtps://…', parseSmtpUrl, { secret: true }),
  MAIL_FROM: optional(
    'a mail address, such as belfry@example.com or Belfry <belfry@example.com>',
    parseMailFrom,
    { shownDefault: 'belfry@ the host name of BASE_URL' },
  ),
  HISTORY_DAYS: wholeNumber(1, 3650, 30),
  SUCCESS_HISTORY_DAYS: optionalNumber(1, 3650, 'as HISTORY_DAYS'),
  /** Of the whole database; the oldest ended runs are deleted first. */
  HISTORY_MAX_MB: optionalNumber(10, 1_000_000_000, 'no limit'),
  RESPONSE_KEEP_BYTES: wholeNumber(0, 65_535, 65_535),
  BACKUP_FOLDER: optional(
    'the path of a folder, of at most 1,000 characters',
    matching(/^[^\0]{1,1000}$/),
  ),
  BACKUP_EVERY_HOURS: wholeNumber(1, 744, 24),
  BACKUP_KEEP: wholeNumber(1, 1000, 7),
  METRICS_TOKEN: optional(
    '1 to 512 printable ASCII characters without spaces',
    matching(/^[!-~]{1,512}$/),
    { secret: true },
  ),
  /** How many crons, queues and teams each `/metrics` lists one by one; 0 lists none. */
  METRICS_MAX_SOURCES: wholeNumber(0, 1000, 0),
  HEARTBEAT_URL: optional('an http or https URL of at most 2,000 characters', parseHeartbeatUrl, {
    secret: true,
  }),
  LOG_LEVEL: oneOf(LOG_LEVELS, 'info'),
};
export type SettingName = keyof typeof SETTINGS;

type Camel<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Text>;

/** The values of all settings: `HISTORY_DAYS` is `historyDays`. */
export type Values = {
  [Name in SettingName as Camel<Name>]: (typeof SETTINGS)[Name]['fallback'];
};

const LARGEST_SETTING_FILE = 64 * 1024;

/** Reads a `NAME_FILE`. Refuses pipes and devices, because reading one could wait for ever. */
function readSettingFile(path: string): { text: string } | { problem: string } {
  try {
    const file = statSync(path);
    if (!file.isFile()) return { problem: 'is not a regular file' };
    if (file.size > LARGEST_SETTING_FILE) return { problem: 'is larger than 64 KiB' };
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { problem: 'is empty' } : { text };
  } catch (fault) {
    return { problem: `cannot be read (${(fault as NodeJS.ErrnoException).code ?? 'unknown'})` };
  }
}

/** Quoted, so that blanks and control characters are visible. */
const show = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** All faults are reported at once. A wrong setting has its default. */
export function readSettings(env: NodeJS.ProcessEnv): {
  values: Values;
  errors: Map<SettingName, string>;
} {
  const errors = new Map<SettingName, string>();
  const entries = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const setting: Setting<unknown> = SETTINGS[name];
    const found = textOf(name, env);
    const text = typeof found === 'string' ? found : null;
    const parsed = text === null ? null : setting.parse(text);
    if (typeof found === 'object' && found !== null) errors.set(name, found.problem);
    if (text !== null && parsed === null) {
      const given = setting.secret ? 'the value given (not shown)' : show(text);
      errors.set(name, `${name}: ${given} is not accepted; it must be ${setting.accepts}.`);
    }
    const value = parsed ?? setting.fallback;
    const key = name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return [key, Array.isArray(value) ? Object.freeze(value) : value];
  });
  return { values: Object.fromEntries(entries) as Values, errors };
}

/** An empty variable counts as not given, because compose files and unit files cannot leave one out. */
function textOf(name: SettingName, env: NodeJS.ProcessEnv): string | { problem: string } | null {
  const direct = env[name]?.trim() ?? '';
  const path = env[`${name}_FILE`]?.trim() ?? '';
  if (direct !== '' && path !== '')
    return { problem: `${name}: both ${name} and ${name}_FILE are set; give one of them.` };
  if (path === '') return direct === '' ? null : direct;
  const file = readSettingFile(path);
  if ('text' in file) return file.text;
  const { accepts } = SETTINGS[name];
  return {
    problem: `${name}_FILE: the file ${show(path)} ${file.problem}; it must hold ${accepts}.`,
  };
}
