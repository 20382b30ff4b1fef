import { DatabaseSync } from 'node:sqlite';
import { StoreError } from './database/errors.ts';

/**
 * An exclusive transaction on a small database beside the path: the system releases it however the process ends.
 * Commands don't take it.
 * @returns releases the lock
 * @throws STORE_LOCKED, naming the path
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
