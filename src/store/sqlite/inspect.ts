import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Holding, Inspection } from '../database/inspection.ts';
import { IS_ENDED } from '../figures/outcomes.ts';
import { UNRELEASED, UNRELEASED_TABLE } from '../migrations/applied.ts';
import { compareMigrations } from '../migrations/migrations.ts';
import { KEY_CHECK } from '../database/seal.ts';
import { countJobsFromLater, countPlannedTooLate, readTimes } from '../crons/planned-times.ts';
import { STRANGE_SIGN_INS } from '../nodes/strange-sign-ins.ts';
import { UNTRUSTED_HEADERS } from '../nodes/untrusted-headers.ts';
import { MINUTE_MS } from '#domain/instant';

const BUSY_TIMEOUT_MS = 5000;
const WEEK_MS = 7 * 86_400_000;
/** With less free space than this, the next job may not fit. */
const ROOM_BYTES = 1024 * 1024;
/** https://sqlite.org/rescode.html#busy */
const BUSY = 5;

/** Throws the error of SQLite or the file system if the file cannot be read. */
export function inspectSqliteFile(path: string, now: number): Inspection {
  // Not `existsSync`, which also gives false for a folder that this user may not read.
  if (!isThere(path)) return { kind: 'not-made-yet' };
  using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  if (hasTable(database, UNRELEASED_TABLE)) return { kind: 'unreachable', reason: UNRELEASED };
  const verdict = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
  const untrustedHeader = readFact(database, UNTRUSTED_HEADERS.key);
  const strangeSignIn = readFact(database, STRANGE_SIGN_INS.key);
  return {
    kind: 'found',
    ...compareMigrations(readNames(database)),
    writeFault: tryWriting(path),
    damage: verdict === 'ok' ? null : String(verdict),
    clockOffsetMs: 0,
    sealedKeyCheck: readFact(database, KEY_CHECK),
    oldSnapshots: null,
    engines: null,
    server: null,
    partitionsAheadMs: null,
    plannedAhead: readPlannedAhead(database, now),
    holding: readHolding(database, now),
    untrustedForwarding: untrustedHeader === null ? null : UNTRUSTED_HEADERS.read(untrustedHeader),
    strangeSignIn: strangeSignIn === null ? null : STRANGE_SIGN_INS.read(strangeSignIn),
  };
}

function isThere(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  return found.get(name) !== undefined;
}

function readNames(database: DatabaseSync): string[] {
  if (!hasTable(database, 'migrations')) return [];
  const rows = database.prepare('select name from migrations order by name').all();
  return rows.map(({ name }) => String(name));
}

/** The value of a key in the table `installation`. */
function readFact(database: DatabaseSync, key: string): string | null {
  if (!hasTable(database, 'installation')) return null;
  const row = database.prepare('select value from installation where key = ?').get(key);
  return row === undefined ? null : String(row['value']);
}

function readPlannedAhead(database: DatabaseSync, now: number) {
  if (!hasTable(database, 'crons')) return { crons: 0, jobs: 0 };
  const rows = database.prepare(readTimes('?')).all(now);
  const later = database.prepare(countJobsFromLater('?')).get(now + MINUTE_MS);
  return { crons: countPlannedTooLate(rows as never, now), jobs: Number(later?.['jobs']) };
}

function readHolding(database: DatabaseSync, now: number): Holding | null {
  if (!hasTable(database, 'ended_executions')) return null;
  const row = database
    .prepare(
      `select (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as bytes,
        (select count(*) from ended_jobs) + (select count(*) from ended_executions) as runs,
        ${runsOfWeek('outcome_hours')} + ${hasTable(database, 'batch_counts') ? runsOfWeek('batch_counts', `and ${IS_ENDED}`) : 0} as week`,
    )
    .get({ from: now - WEEK_MS });
  return {
    bytes: Number(row?.['bytes']),
    endedRuns: Number(row?.['runs']),
    runsOfWeek: Number(row?.['week']),
  };
}

const runsOfWeek = (table: string, condition = '') =>
  `(select coalesce(sum(runs), 0) from ${table} where hour >= :from ${condition})`;

/**
 * Takes the write lock and releases it. File permissions are checked apart, because SQLite accepts the lock on a file
 * that it may only read.
 */
function tryWriting(path: string): string | null {
  try {
    for (const each of [path, dirname(path)]) accessSync(each, constants.W_OK);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return `${code}; give this user write access to the file and its folder`;
  }
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < ROOM_BYTES) return 'its disk is full; make room, or lower HISTORY_DAYS';
  try {
    using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    database.exec('begin immediate');
    database.exec('rollback');
    return null;
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number };
    const isHeld = (errcode & 0xff) === BUSY;
    return isHeld ? `${message}; another program holds it, end that one` : message;
  }
}
