import { closeSync, fstatSync, openSync } from 'node:fs';

interface FileFault {
  isMissing: boolean;
  /** With the remedy. */
  reason: string;
}

/** SQLite also writes next to the file that it only reads. */
export const ACCESS_REMEDY = 'give this user write access to the file and its folder';

/**
 * Null if this user may read the file; SQLite reports every cause as "unable to open database file". Not for a process
 * that has a connection to the file: it would lose its POSIX locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export function findFileFault(path: string): FileFault | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const reason = `cannot be read (${code}); run this command as the user of the service`;
    return { isMissing: code === 'ENOENT' || code === 'ENOTDIR', reason };
  }
  try {
    return fstatSync(file).isDirectory()
      ? { isMissing: false, reason: 'is a folder; name a file in it' }
      : null;
  } finally {
    closeSync(file);
  }
}
