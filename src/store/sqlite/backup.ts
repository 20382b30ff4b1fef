import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from '../database/errors.ts';
import { ACCESS_REMEDY, findFileFault } from './file-access.ts';

export type SqliteBackup =
  | { kind: 'done'; path: string; bytes: number }
  | { kind: 'exists'; path: string }
  | { kind: 'no-database'; path: string }
  | { kind: 'cannot-write'; path: string; reason: string };

const BUSY_TIMEOUT_MS = 5000;

/**
 * For a command: names what keeps this user from the file (see `findFileFault`).
 * @throws StoreError as `copySqliteFile`
 */
export function backUpSqliteFile(databasePath: string, target: string): SqliteBackup {
  const fault = findFileFault(databasePath);
  if (fault !== null && !fault.isMissing)
    throw new StoreError('STORE_READ_ONLY', `${databasePath} ${fault.reason}`);
  return copySqliteFile(databasePath, target);
}

/**
 * One reading transaction, so writers can't make the copy inconsistent or delay it (page by page it would start again
 * at each commit). It is named only when it is checked and on disk. Only its owner may read it.
 * @throws StoreError if the database can't be read or the copy isn't sound
 */
export function copySqliteFile(databasePath: string, target: string): SqliteBackup {
  const path = resolve(target);
  if (!existsSync(databasePath)) return { kind: 'no-database', path: databasePath };
  if (existsSync(path)) return { kind: 'exists', path };
  const draft = `${path}.${process.pid}.part`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    copyInto(databasePath, draft);
    return publish(draft, path);
  } catch (error) {
    return explain(error, databasePath, path);
  } finally {
    // If the disk is full, SQLite leaves its journal.
    for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true });
  }
}

function copyInto(databasePath: string, draft: string): void {
  using source = new DatabaseSync(databasePath, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  source.prepare('vacuum into ?').run(draft);
  using copy = new DatabaseSync(draft, { readOnly: true });
  const verdict = copy.prepare('pragma quick_check(1)').get()?.['quick_check'];
  if (verdict !== 'ok')
    throw new StoreError('STORE_DAMAGED', `the copy is not sound: ${String(verdict)}`);
}

/** Never overwrites a file. */
function publish(draft: string, path: string): SqliteBackup {
  sync(draft);
  try {
    linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return { kind: 'exists', path };
    // Some file systems have no hard links.
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code ?? '')) throw error;
    renameSync(draft, path);
  }
  if (process.platform !== 'win32') sync(dirname(path)); // Windows can't open a directory.
  return { kind: 'done', path, bytes: statSync(path).size };
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const FULL = 13;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  EACCES: 'this user may not write there',
  EROFS: 'its file system is read-only, or systemd makes it so (ReadWritePaths=)',
  ENOSPC: 'its disk is full',
};

const REMEDIES: Partial<Record<StoreErrorCode, string>> = {
  STORE_DAMAGED: 'restore an older copy',
  STORE_READ_ONLY: ACCESS_REMEDY,
};

function explain(error: unknown, databasePath: string, path: string): SqliteBackup {
  if (error instanceof StoreError) throw error;
  const { code, message, errcode } = error as { code?: string; message: string; errcode?: number };
  if (errcode === undefined) {
    return { kind: 'cannot-write', path, reason: REASONS[code ?? ''] ?? code ?? message };
  }
  if ((errcode & 0xff) === FULL) return { kind: 'cannot-write', path, reason: 'its disk is full' };
  const fault = StoreError.fromSqlite({ message, errcode });
  const isDamaged = fault.code === 'STORE_DAMAGED';
  const what = isDamaged ? 'is damaged, or no SQLite database' : 'cannot be copied';
  const remedy = REMEDIES[fault.code] ?? 'look who else uses it, and try again';
  throw new StoreError(fault.code, `${databasePath} ${what} (${message}); ${remedy}`, {
    cause: error,
  });
}
