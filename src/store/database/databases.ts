import type { Database } from './database.ts';

/**
 * By purpose, so slow statements block only their kind. On Postgres each has a pool; SQLite has one writer, and
 * searches have a thread.
 */
export interface Databases {
  /** Small writes, and reads by a key. */
  readonly main: Database;
  /** Lists and counts; STORE_BUSY beyond a few at a time. Reads only. */
  readonly searches: Database;
  /** Claims, settlements, callbacks, runs of dead nodes. */
  readonly engine: Database;
  readonly lease: Database;
}

/** In the order of closing: SQLite can't move the write-ahead log into the file if the last connection only reads. */
export function eachDatabase({ main, searches, engine, lease }: Databases): Set<Database> {
  return new Set([searches, main, engine, lease]);
}
