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
import { makeFolders } from '#store/database/make-folders';
import type { Config } from './config.ts';

/** The message is one line for the operator. */
export class AppKeyFault extends Error {
  readonly code = 'APP_KEY_UNUSABLE';
}

/**
 * APP_KEY, or the file `app.key` next to the SQLite database, which the first start creates.
 * Simultaneous processes get the same key; a database in memory gets a new one.
 * @throws AppKeyFault if the file is damaged or can't be read or written
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

/** The key is created before the database, so it must have been lost; a new one couldn't decrypt secrets. */
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
