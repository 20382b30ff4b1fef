import fs from 'node:fs';
import os from 'node:os';

/** Where unpacked binaries are kept between runs: `npm test` names it, since its own temporary files lie elsewhere. */
export function cacheFolder(): string {
  return process.env['BELFRY_TEST_CACHE'] ?? os.tmpdir();
}

/**
 * Whether a folder for unpacked binaries is there already. Its name can be guessed and its parent is open
 * to all, so a folder of another user is never trusted.
 *
 * @throws if there is something of that name that is not a folder of ours
 */
export function isOwnFolder(folder: string): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isDirectory() && stat.uid === (process.getuid?.() ?? stat.uid)) return true;
  throw new Error(`${folder} belongs to someone else; remove it or set TMPDIR`);
}
