import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';

/** The key file cannot be used; its message is one line for the operator. */
export class AppKeyFault extends Error {
  readonly code = 'APP_KEY_UNUSABLE';
}

/**
 * The installation's key, 32 bytes: APP_KEY itself, or `app.key` in the directory of the SQLite database, made
 * there the first time (readable by its owner alone). A database in memory has a new one each time.
 * Safe to call from several processes at once: all of them get the same key.
 * @throws AppKeyFault when the file is damaged or cannot be read or written.
 */
export function loadAppKey(config: Pick<Config, 'appKey' | 'database'>): Buffer {
  if (config.appKey !== null) return config.appKey;
  if (config.database.kind === 'sqlite-memory') return randomBytes(32);
  if (config.database.kind === 'postgres') throw new AppKeyFault('APP_KEY is required.');
  const path = join(dirname(config.database.path), 'app.key');
  try {
    const key = readKey(path);
    if (key !== null) return key;
    refuseLostKey(config.database.path, path);
    return createKey(path);
  } catch (fault) {
    if (fault instanceof AppKeyFault) throw fault;
    const { code = 'unknown' } = fault as NodeJS.ErrnoException;
    throw new AppKeyFault(
      `The key file ${path} cannot be read or written (${code}): check who owns it and its directory, or set APP_KEY.`,
      { cause: fault },
    );
  }
}

function readKey(path: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fault;
  }
  const bytes = /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64') : null;
  if (bytes?.length === 32) return bytes;
  throw new AppKeyFault(
    `The key file ${path} is damaged: it must hold 32 bytes as base64. Put back a copy of it; without it the secrets in the database cannot be read.`,
  );
}

/** A database is made after its key: one without a key has lost it, and a new one would open nothing in it. */
function refuseLostKey(database: string, path: string): void {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new AppKeyFault(
    `The key file ${path} is missing beside a database that is there: put back a copy of it, or set APP_KEY to the key that the database was made with.`,
  );
}

/** Written beside and then linked into place: nobody can see half a key, and of two makers the first one wins. */
function createKey(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    writeDraft(draft);
    linkSync(draft, path);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKey(path);
  if (key === null) throw new AppKeyFault(`The key file ${path} vanished while it was made.`);
  syncDirectory(dirname(path));
  return key;
}

function writeDraft(draft: string): void {
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(32).toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A key that a power cut takes back would leave secrets that nobody can read. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // Windows can't open a directory.
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
