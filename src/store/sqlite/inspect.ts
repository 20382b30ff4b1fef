import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Inspection } from '../database/inspection.ts';
import { inspectTables } from '../database/inspect-tables.ts';
import { inspectSize } from '../retention/history-size.ts';
import { sqlite } from '../sql/sqlite.ts';
import { ACCESS_REMEDY, findFileFault } from './file-access.ts';

const BUSY_TIMEOUT_MS = 5000;
/** With less, the next job may not fit. */
const LEAST_FREE_BYTES = 1024 * 1024;
/** https://sqlite.org/rescode.html#busy */
const BUSY = 5;

/** Throws the error of SQLite or the file system. */
export async function inspectSqliteFile(path: string, now: number): Promise<Inspection> {
  const fault = findFileFault(path);
  if (fault?.isMissing) return { kind: 'not-made-yet' };
  if (fault !== null) return { kind: 'unreachable', reason: fault.reason };
  using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const verdict = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
  const ask = async (text: string, ...parameters: number[]) =>
    database.prepare(text).all(...parameters);
  const { isEmpty, ...ofTables } = await inspectTables(ask, sqlite, now);
  return {
    kind: 'found',
    ...ofTables,
    writeFault: tryWriting(path),
    damage: verdict === 'ok' ? null : String(verdict),
    clockOffsetMs: 0,
    oldSnapshots: null,
    engines: null,
    server: null,
    partitionsAheadMs: null,
    size: isEmpty ? null : await inspectSize(ask, sqlite, now),
  };
}

/** Permissions are checked apart: SQLite accepts the lock on a file that it may only read. */
function tryWriting(path: string): string | null {
  try {
    for (const each of [path, dirname(path)]) accessSync(each, constants.W_OK);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return `${code}; ${ACCESS_REMEDY}`;
  }
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < LEAST_FREE_BYTES)
    return 'its disk is full; make room, or set HISTORY_MAX_MB';
  try {
    using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    database.exec('begin immediate');
    database.exec('rollback');
    return null;
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number };
    const isLocked = (errcode & 0xff) === BUSY;
    return isLocked ? `${message}; another program has locked it, end that one` : message;
  }
}
