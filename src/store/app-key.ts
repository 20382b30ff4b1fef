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
import { StoreError } from './database/errors.ts';
import { makeFolders } from './database/make-folders.ts';
import type { StoreLocation } from './store.ts';

interface KeySettings {
  appKey: Buffer | null;
  database: StoreLocation;
}

/**
 * APP_KEY, or the file `app.key` next to the SQLite database, which the first start creates.
 * Simultaneous processes get the same key; a database in memory gets a new one.
 * @throws STORE_KEY_UNUSABLE if the file is damaged or can't be read or written
 */
export function loadAppKey({ appKey, database }: KeySettings): Buffer {
  if (appKey !== null) return appKey;
  if (database.kind === 'sqlite-memory') return randomBytes(32);
  if (database.kind === 'postgres') throw unusable('APP_KEY is required.');
  const path = join(dirname(database.path), 'app.key');
  try {
    const key = readKey(path);
    if (key !== null) return key;
    refuseLostKey(database.path, path);
    return createKey(path);
  } catch (fault) {
    if (fault instanceof StoreError) throw fault;
    const { code = 'unknown' } = fault as NodeJS.ErrnoException;
    throw unusable(
      `The key file ${path} cannot be read or written (${code}): check who owns it and its directory, or set APP_KEY.`,
      fault,
    );
  }
}

/** @param message one line for the operator */
const unusable = (message: string, cause?: unknown) =>
  new StoreError('STORE_KEY_UNUSABLE', message, { cause });

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
  throw unusable(
    `The key file ${path} is damaged: it must hold 32 bytes as base64. Put back a copy of it; without it the secrets in the database cannot be read.`,
  );
}

/** The key is created before the database, so it must have been lost; a new one couldn't decrypt secrets. */
function refuseLostKey(database: string, path: string): void {
  const file = statSync(database, { throwIfNoEntry: false });
  if (file?.isDirectory()) {
    throw unusable(
      `DATABASE_URL names the folder ${database}: name a file in it, such as ${join(database, 'belfry.db')}.`,
    );
  }
  if ((file?.size ?? 0) === 0) return;
  throw unusable(
    `The key file ${path} is missing next to an existing database: restore a copy of it, or set APP_KEY to the key of the database.`,
  );
}

/** Written under another name and linked, so that no one reads half a key. The first of two processes wins. */
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
  if (key === null) throw unusable(`The key file ${path} vanished while it was made.`);
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

/** If a power failure undid the new file, secrets would be lost. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // Windows can't open a directory.
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
