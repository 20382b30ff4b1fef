import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../database/errors.ts';

/**
 * The right to serve a SQLite file, for one process at a time.
 *
 * It is an exclusive transaction on a small database next to the file. The operating system releases such a lock
 * however the process ends, so no stale lock can remain. The command line works during a running service and does not
 * take it.
 *
 * @returns the function that releases the lock
 * @throws STORE_LOCKED, naming the file
 */
export function takeServingLock(path: string): () => void {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = delete');
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    throw new StoreError(
      'STORE_LOCKED',
      `another Belfry process is serving ${path}; stop it first, or use Postgres to run several`,
      { cause },
    );
  }
  return () => lock.close();
}
