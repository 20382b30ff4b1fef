import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTransport } from 'nodemailer';
import { HOUR_MS } from '#domain/base/instant';
import type { Finding } from '#cli/services';
import { loadAppKey } from '#store/app-key';
import type { Config } from '#config/config';
import { isInRanges, writeRanges } from '#domain/http/address-range';
import { countOf } from '#domain/base/amounts';
import { isLoopbackHost } from '#domain/http/arrival';
import type { Clock } from '#domain/base/clock';
import { probeDns } from '#outgoing/probe-dns';
import { inspectDatabase } from '#store/inspect';
import type { DatabaseReport, Inspection } from '#store/database/inspection';
import { installationOf, isKeyOf } from '#store/database/seal';
import { describeSize, exceeds } from './database-size.ts';
import { fail, type Findings, ok, warn } from './finding.ts';
import { examineSurroundings, findFolderFault } from './surroundings.ts';
import { isStillTrue, untrustedForwarding, untrustedSignIn } from './untrusted-headers.ts';

/** Larger differences make logs and records hard to compare. */
const CLOCK_TOLERANCE_MS = 1_000;
const MAIL_LIMIT_MS = 5_000;
const METADATA_ADDRESS = '169.254.169.254';

/**
 * Changes nothing. Never rejects.
 * @param isDashboardBuilt null for a package
 */
export async function examine(
  config: Config,
  { clock, isDashboardBuilt }: { clock: Clock; isDashboardBuilt: boolean | null },
): Promise<Finding[]> {
  const [inspection, dns, mail] = await Promise.all([
    inspectDatabase(config.database, clock),
    examineDns(config),
    examineMail(config),
  ]);
  const own = nameInstallation(inspection);
  const surroundings = await examineSurroundings(config, { isDashboardBuilt, own });
  const database = examineDatabase(config, inspection, clock.now());
  const all = [...examineSettings(config), ...database, dns, mail, ...surroundings];
  return all.filter((each) => each !== null);
}

/** Null if unknown. */
function nameInstallation(inspection: Inspection): string | null {
  if (inspection.kind === 'not-made-yet') return 'none';
  if (inspection.kind === 'unreachable') return null;
  const { sealedKeyCheck } = inspection;
  return sealedKeyCheck === null ? 'none' : installationOf(sealedKeyCheck);
}

/** Settings that work but may surprise. */
function examineSettings(config: Config): Findings {
  const { allowedNetworks, baseUrl, port, signUp, smtpUrl, passwordSignIn } = config;
  return [
    baseUrl === null
      ? warn(
          'settings',
          `all accepted; BASE_URL is not set, so links in mails lead to http://localhost:${port}`,
        )
      : ok('settings', `all accepted; the public address is ${baseUrl}`),
    judgeEncryption(config),
    isInRanges(METADATA_ADDRESS, allowedNetworks)
      ? warn(
          'networks',
          `ALLOWED_NETWORKS contains ${METADATA_ADDRESS}, where machines in clouds hand out credentials; name only the networks of your targets`,
        )
      : null,
    signUp === 'open' && smtpUrl === null && passwordSignIn
      ? warn(
          'sign-up',
          'SIGN_UP is open and SMTP_URL is not set: anybody can make an account with an email that is not theirs; set SMTP_URL, so that emails are confirmed',
        )
      : null,
  ];
}

/** Null if only this machine is served, or others over https. */
function judgeEncryption({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>): Finding | null {
  const isLocal =
    baseUrl === null ? isLoopbackHost(host) : isLoopbackHost(new URL(baseUrl).hostname);
  if (isLocal || baseUrl?.startsWith('https:')) return null;
  const what = baseUrl === null ? `HOST is ${host} without an https BASE_URL` : 'BASE_URL is http';
  const remedy = 'put a proxy with TLS in front, and set BASE_URL to its https address';
  return warn('https', `${what}: passwords and tokens can be read on their way; ${remedy}`);
}

function examineDatabase(config: Config, found: Inspection, now: number): Findings {
  const { database } = config;
  if (database.kind === 'sqlite-memory') {
    return [warn('database', 'in memory: everything is gone when the service stops')];
  }
  const what = database.kind === 'sqlite' ? `SQLite file ${database.path}` : 'Postgres';
  if (found.kind === 'not-made-yet') {
    return [judgeMissing(config, what)];
  }
  if (found.kind === 'unreachable') return [fail('database', `${what}: ${found.reason}`)];
  return [
    judgeDatabase(what, found),
    judgeKey(config, found),
    judgeClock(what, found, now),
    ...judgeServer(found),
    judgeEngines(config, found),
    ...judgePlanned(found),
    judgeSnapshots(found),
    judgePartitions(found),
    judgeSize(found, config.historyMaxBytes),
    judgeProxies(config, found, now),
    judgeProxySignIn(config, found, now),
  ];
}

function judgeMissing({ database }: Config, what: string): Finding {
  const fault = database.kind === 'sqlite' ? findFolderFault(dirname(database.path)) : null;
  if (fault === null) return ok('database', `${what}: not there yet; the first start makes it`);
  const remedy = 'give this user write access to it, or set DATABASE_URL to another place';
  return fail(
    'database',
    `${what}: not there yet, and its folder cannot be written (${fault}); ${remedy}`,
  );
}

function judgeDatabase(what: string, found: DatabaseReport): Finding {
  const { damage, writeFault, unknownMigrations, pendingMigrations } = found;
  if (damage !== null) {
    return fail('database', `${what} is damaged (${damage}); restore a backup`);
  }
  if (writeFault !== null) return fail('database', `${what} cannot be written: ${writeFault}`);
  if (unknownMigrations.length > 0) {
    return fail(
      'database',
      `${what} was made by a newer version (${unknownMigrations.join(', ')}); start that version, or restore a backup`,
    );
  }
  if (pendingMigrations.length > 0) {
    const names = pendingMigrations.join(', ');
    return warn('database', `${what}: the next start applies the migrations ${names}`);
  }
  return ok('database', `${what}: reachable, sound, migrated and writable`);
}

function judgeKey(config: Config, { sealedKeyCheck }: DatabaseReport): Finding {
  const { database, appKey } = config;
  if (sealedKeyCheck === null) return ok('key', 'not in use yet');
  // The check must not create a key.
  const path = database.kind === 'sqlite' ? join(dirname(database.path), 'app.key') : '';
  if (appKey === null && !existsSync(path)) {
    return fail('key', `APP_KEY is not set and ${path} is missing; put it back`);
  }
  const hint = path === '' ? '' : `, or put it back as ${path}`;
  try {
    if (isKeyOf(loadAppKey(config), sealedKeyCheck)) return ok('key', 'opens the secrets');
    return fail('key', `the database was made with another key; set APP_KEY to that one${hint}`);
  } catch (fault) {
    return fail('key', (fault as Error).message);
  }
}

function judgeClock(what: string, { clockOffsetMs }: DatabaseReport, at: number): Finding {
  const now = new Date(at).toISOString();
  if (what !== 'Postgres') return ok('clock', `${now}, by this machine`);
  const off = `the database's clock is ${Math.abs(clockOffsetMs)} ms ${clockOffsetMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(clockOffsetMs) <= CLOCK_TOLERANCE_MS) return ok('clock', `${now}; ${off}`);
  return warn('clock', `${off}; due times go by the database's`);
}

/** Nothing if all is well, and for SQLite. */
function judgeServer({ server }: DatabaseReport): Findings {
  return [
    server?.synchronousCommit === 'off'
      ? warn(
          'server',
          'synchronous_commit is off: a fault of the server can lose jobs that were accepted; set it to on for this user and database',
        )
      : null,
    server?.autovacuum === 'off'
      ? warn('server', 'autovacuum is off: claims slow down and the disk fills up; set it to on')
      : null,
  ];
}

/** Null for SQLite. */
function judgeEngines({ role }: Config, { engines }: DatabaseReport): Finding | null {
  if (engines === null) return null;
  if (engines > 0) return ok('engines', `alive: ${engines}`);
  if (role !== 'web') return ok('engines', 'none is alive; this process brings one');
  const remedy = 'start a process with ROLE=engine or ROLE=all';
  return warn('engines', `none is alive, so nothing is sent; ${remedy}`);
}

/** Nothing if nothing was planned while the clock was ahead. */
function judgePlanned({ plannedAhead: { crons, jobs } }: DatabaseReport): Findings {
  const planned = (count: number, what: string, remedy: string) =>
    count === 0 ? null : warn('planned', `the clock was ahead, and ${what}: ${count}; ${remedy}`);
  return [
    planned(
      crons,
      'crons wait beyond the next time of their schedule',
      'a running engine plans them again within seconds, or at its start',
    ),
    planned(
      jobs,
      'jobs that were made then wait until their time comes',
      'fire or delete them on the page Jobs, tab Pending or Retrying',
    ),
  ];
}

/** Checks `TRUSTED_PROXIES` against the requests that were recorded with untrusted headers. */
function judgeProxies({ trustedProxies }: Config, found: DatabaseReport, now: number): Finding {
  const doubt = untrustedForwarding(trustedProxies);
  const seen = found.untrustedForwarding;
  if (isStillTrue(doubt, seen, now))
    return warn('proxies', `${doubt.describe(seen)} ${lastNoticed(seen)}`);
  const message = `TRUSTED_PROXIES is ${trustedProxies}; it agrees with the requests so far`;
  return ok('proxies', message);
}

/** Checks the proxy sign-in against the recorded requests whose header came from elsewhere. */
function judgeProxySignIn(
  { proxySignIn }: Config,
  found: DatabaseReport,
  now: number,
): Finding | null {
  if (proxySignIn === null) return null;
  const doubt = untrustedSignIn(proxySignIn);
  const seen = found.untrustedSignIn;
  if (isStillTrue(doubt, seen, now))
    return warn('sign-in', `${doubt.describe(seen)} ${lastNoticed(seen)}`);
  const who = `${proxySignIn.emailHeader} names users, from ${writeRanges(proxySignIn.from)}`;
  const isHere = ['127.0.0.1', '::1'].some((address) => isInRanges(address, proxySignIn.from));
  const others = isHere ? 'every program on this machine' : 'whatever connects from there';
  return ok('sign-in', `${who}; ${others} is believed`);
}

const lastNoticed = ({ at }: { at: number }) => `(last noticed ${new Date(at).toISOString()})`;

function judgeSize({ size }: DatabaseReport, maxBytes: number | null): Finding | null {
  if (size === null) return null;
  const text = describeSize(size, maxBytes);
  if (!exceeds(size, maxBytes)) return ok('size', text);
  const remedy =
    'a running engine deletes the oldest runs, but none of the last hour: if this stays, waiting jobs and other data need more room';
  return warn('size', `${text}; ${remedy}`);
}

function judgeSnapshots({ oldSnapshots }: DatabaseReport): Finding | null {
  if (oldSnapshots === null) return null;
  const [oldest, ...more] = oldSnapshots;
  if (oldest === undefined) return ok('snapshot', 'no transaction is older than ten minutes');
  const others = more.length === 0 ? '' : `, and ${more.map(({ holder }) => holder).join(', ')}`;
  const minutes = Math.floor(oldest.seconds / 60);
  return warn(
    'snapshot',
    `${oldest.holder} has been open for ${minutes} minutes${others}; Postgres keeps what was done since, and requests start later: end it, or wait for its end`,
  );
}

function judgePartitions({ partitionsAheadMs }: DatabaseReport): Finding | null {
  if (partitionsAheadMs === null) return null;
  const hours = Math.floor(partitionsAheadMs / HOUR_MS);
  const days = countOf(Math.floor(hours / 24), 'day');
  if (hours >= 24) return ok('partitions', `jobs that end find one for ${days} to come`);
  const until = hours === 0 ? 'none for the jobs that end now' : `the last one ends in ${hours} h`;
  return warn(
    'partitions',
    `${until}; successful jobs without one are kept in ended_jobs_rest and deleted row by row. An engine makes them at its start and every minute, from the day after the last job in that table on: start one, or see retention.failed in its log`,
  );
}

/** Only a warning: all targets may be IP addresses or in the hosts file. */
async function examineDns({ dnsServers }: Config): Promise<Finding> {
  const { servers, fault } = await probeDns(dnsServers ?? []);
  const asked = servers.length > 0 ? servers.join(', ') : 'no server';
  if (fault === null) return ok('dns', `${asked}: answers`);
  return warn(
    'dns',
    `${asked}: no valid answer (${fault}); targets with host names can't be called until DNS_SERVERS, or the system's resolvers, are corrected`,
  );
}

async function examineMail({ smtpUrl, mailFrom }: Config): Promise<Finding> {
  if (smtpUrl === null) return warn('mail', 'SMTP_URL is not set; mails are written to the log');
  const { hostname, port } = new URL(smtpUrl);
  const server = port === '' ? hostname : `${hostname}:${port}`;
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: MAIL_LIMIT_MS,
    greetingTimeout: MAIL_LIMIT_MS,
    socketTimeout: MAIL_LIMIT_MS,
    dnsTimeout: MAIL_LIMIT_MS,
  });
  try {
    await transport.verify();
    return ok('mail', `${server} takes mails; they come from ${mailFrom}`);
  } catch (fault) {
    const { code, responseCode, message } = fault as Error & {
      code?: string;
      responseCode?: number;
    };
    const known = [code, responseCode].filter((part) => part !== undefined).join(' ');
    // Before a login the message has no secrets, and the code alone names no cause.
    const reason = code === 'ESOCKET' ? message : known;
    return fail(
      'mail',
      `${server} takes no mails (${reason || 'no reason given'}); check SMTP_URL and the mail server`,
    );
  } finally {
    transport.close();
  }
}
