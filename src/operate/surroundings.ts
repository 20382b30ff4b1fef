import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { DAY_MS } from '#domain/base/instant';
import { INSTALLATION_HEADER } from '#api/service-pages';
import type { Finding } from '#cli/services';
import { type Config, servesLoopbackOnly } from '#config/config';
import { countOf } from '#domain/base/amounts';
import { basePathOf } from '#domain/http/public-address';
import { findNewestBackup, listBackups } from '#store/backups';
import { fail, type Findings, ok, warn } from './finding.ts';
import { HEALTHY } from './health.ts';
import { examineListening, isOfAnother } from './listening.ts';

const LIMIT_MS = 4_000;
const CERTIFICATE_DAYS = 14;
const LITTLE_DISK = 2e9;
const NO_DISK = 2e8;

/**
 * Never rejects.
 * @param own null if unknown
 */
export async function examineSurroundings(
  config: Config,
  { isDashboardBuilt, own }: { isDashboardBuilt: boolean | null; own: string | null },
): Promise<Findings> {
  const found = await Promise.all([
    examineListening(config, own),
    examineAddress(config, own),
    examineCertificate(config),
    examineDisk(config),
  ]);
  return [
    ...found,
    isDashboardBuilt === null ? null : judgeDashboard(config, isDashboardBuilt),
    examineFiles(config),
    examineMetrics(config),
    sayHeartbeat(config),
    examineBackups(config, Date.now()),
  ];
}

async function examineAddress({ baseUrl }: Config, own: string | null): Promise<Finding | null> {
  if (baseUrl === null) return null;
  const doubt = (message: string) => warn('address', `${baseUrl} ${message}`);
  try {
    const options = { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) } as const;
    const health = await fetch(`${baseUrl}/healthz`, options);
    const text = await health.text();
    if (!health.ok || text !== HEALTHY) {
      return doubt(`answers ${health.status}, and not as Belfry: is it passed on to the service?`);
    }
    if (isOfAnother(health.headers.get(INSTALLATION_HEADER), own)) {
      return doubt('answers as a Belfry with another database: where does the proxy lead?');
    }
    const { headers } = await fetch(`${baseUrl}/login`, options);
    if (headers.get('Location') === `${basePathOf(baseUrl)}/login`) {
      return doubt('loses its path on the way: the proxy must pass it on as it is');
    }
    return ok('address', `${baseUrl} answers`);
  } catch (fault) {
    const { cause, message } = fault as Error;
    const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
    return doubt(`does not answer from here (${why}): does the service run, and the proxy?`);
  }
}

/** Never rejects. */
export async function examineCertificate({
  baseUrl,
}: Pick<Config, 'baseUrl'>): Promise<Finding | null> {
  if (!baseUrl?.startsWith('https:')) return null;
  const { hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const endsAt = await readCertificateEnd(host, Number(port || 443));
  // The check of the address reports why there is no certificate.
  if (endsAt === null) return null;
  const days = Math.floor((endsAt - Date.now()) / DAY_MS);
  const message = `the certificate of ${hostname} expires in ${countOf(days, 'day')}`;
  if (days >= CERTIFICATE_DAYS) return ok('tls', message);
  return warn('tls', `${message}; renew it`);
}

function readCertificateEnd(host: string, port: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  // Only reads the certificate; the check of the address verifies it. Node rejects an IP address as a server name (RFC
  // 6066).
  const servername = isIP(host) === 0 ? host : '';
  const socket = connect({ host, port, servername, rejectUnauthorized: false }, () => {
    const at = Date.parse(socket.getPeerCertificate().valid_to);
    resolve(Number.isNaN(at) ? null : at);
    socket.destroy();
  });
  socket.setTimeout(LIMIT_MS, () => socket.destroy());
  socket.on('error', () => resolve(null));
  socket.on('close', () => resolve(null));
  return promise;
}

async function examineDisk({ database }: Config): Promise<Finding | null> {
  if (database.kind !== 'sqlite') return null;
  try {
    const { bavail, bsize } = await statfs(dirname(database.path));
    const free = bavail * bsize;
    const message = `${(free / 1e9).toFixed(1)} GB are free where the database is`;
    if (free >= LITTLE_DISK) return ok('disk', message);
    const judge = free < NO_DISK ? fail : warn;
    return judge('disk', `${message}; once it is full, nothing is accepted`);
  } catch {
    // The folder doesn't exist before the first start.
    return null;
  }
}

/** A package contains the build. */
export function judgeDashboard({ role }: Pick<Config, 'role'>, isBuilt: boolean): Finding | null {
  if (role === 'engine') return null;
  if (isBuilt) return ok('dashboard', 'it is built');
  const message = 'it is not built, so only the API answers; npm start or npm run build makes it';
  return warn('dashboard', message);
}

/** No other user may read the key and the database. Null if this user can't tell. */
function examineFiles({ database }: Config): Finding | null {
  if (database.kind !== 'sqlite' || process.platform === 'win32') return null;
  const paths = [database.path, join(dirname(database.path), 'app.key')];
  let open: string[];
  try {
    open = paths.filter((path) => {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
      return (mode & 0o077) !== 0;
    });
  } catch {
    // The check of the database reports why this user may not enter the folder.
    return null;
  }
  if (open.length === 0) return ok('files', 'no other user can read database and key');
  const message = `others may read ${open.join(' and ')}; chmod 600 ${open.join(' ')}`;
  return warn('files', message);
}

function examineMetrics(config: Config): Finding {
  if (config.metricsToken !== null) return ok('metrics', 'with the token');
  if (servesLoopbackOnly(config)) {
    return ok('metrics', 'on this machine alone; METRICS_TOKEN lets others in');
  }
  const message =
    'HOST or BASE_URL lets other machines in and METRICS_TOKEN is not set, so /metrics is closed to everybody';
  return warn('metrics', message);
}

/** Doesn't call the monitor, which would take it as a sign that requests are sent. */
function sayHeartbeat({ heartbeatUrl, role }: Config): Finding {
  if (role === 'web') return ok('heartbeat', 'not from a process without engine');
  const message =
    heartbeatUrl === null
      ? 'HEARTBEAT_URL is not set; you are not notified if sending stops'
      : 'a monitor is called every minute';
  return ok('heartbeat', message);
}

export function examineBackups(
  { database, backups }: Pick<Config, 'database' | 'backups'>,
  now: number,
): Finding | null {
  if (database.kind !== 'sqlite') return null;
  if (backups === null) {
    return ok('backups', 'BACKUP_FOLDER is not set; only "belfry backup" makes copies');
  }
  const { folder, everyHours } = backups;
  const fault = findFolderFault(folder);
  if (fault !== null) {
    const remedy =
      'let this user write there, and name it in ReadWritePaths= of a systemd unit with ProtectSystem=';
    return fail('backups', `BACKUP_FOLDER ${folder} cannot be written (${fault}): ${remedy}`);
  }
  const copies = listBackups(folder);
  const newest = findNewestBackup(copies, now);
  if (newest === undefined) return warn('backups', `there is no copy in ${folder} yet`);
  const isLate = now - newest.at > 2 * everyHours * 3_600_000;
  const of = new Date(newest.at).toISOString();
  return (isLate ? warn : ok)('backups', `${copies.length} in ${folder}, the newest of ${of}`);
}

/** Null if it can be written, or made. */
export function findFolderFault(folder: string): string | null {
  const parent = dirname(folder);
  if (!existsSync(folder) && parent !== folder) return findFolderFault(parent);
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory() ? null : `${folder} is no folder`;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
