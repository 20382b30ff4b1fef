import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '#store/sqlite/make-folders';
import type { Config } from './config.ts';

/** The key file cannot be used; its message is one line for the operator. */
export class AppKeyFault extends Error {
  readonly code = 'APP_KEY_UNUSABLE';
}

/**
 * The installation's key, 32 bytes. It is APP_KEY, or else the file `app.key` in the directory of the SQLite
 * database, which is created at the first start and readable by its owner alone. A database in memory gets a new key
 * each time. Several processes may call this at once: all get the same key.
 * @throws AppKeyFault if the file is damaged or cannot be read or written
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

/**
 * Refuses a database without its key. The key is created before the database, so it must have been lost, and a new
 * one could not open the secrets.
 */
function refuseLostKey(database: string, path: string): void {
  const file = statSync(database, { throwIfNoEntry: false });
  if (file?.isDirectory()) {
    throw new AppKeyFault(
      `DATABASE_URL names the folder ${database}: name a file in it, such as ${join(database, 'belfry.db')}.`,
    );
  }
  if ((file?.size ?? 0) === 0) return;
  throw new AppKeyFault(
    `The key file ${path} is missing next to an existing database: restore a copy of it, or set APP_KEY to the key of the database.`,
  );
}

/**
 * Creates the key file. It is written under another name and then linked, so that nobody reads half a key. If two
 * processes create it, the first one wins.
 */
function createKey(path: string): Buffer {
  makeFolders(dirname(path));
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

/** Syncs the directory: if a power failure undid the new file, secrets sealed with this key could not be read. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // Windows can't open a directory.
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
