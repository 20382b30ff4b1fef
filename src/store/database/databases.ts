import type { Database } from './database.ts';

/**
 * The handles to one database, by purpose, so that slow statements block only others of their kind. On Postgres each
 * handle has its own pool; on SQLite there is one writer, and only searches have their own thread.
 */
export interface Databases {
  /** For the API, people and a node's housekeeping: small writes, and reads by a key. */
  readonly main: Database;
  /** For lists and counts of pages: a few at a time, beyond that STORE_BUSY. It only reads. */
  readonly searches: Database;
  /** For sending: claims, settlements, callbacks, and settling the runs of dead nodes. */
  readonly engine: Database;
  /** For leases: one row is read and renewed. */
  readonly lease: Database;
}

/**
 * In the order of closing. Searches close before the writer: SQLite can't move the write-ahead log into the file if the
 * last connection only reads.
 */
export function eachDatabase({ main, searches, engine, lease }: Databases): Set<Database> {
  return new Set([searches, main, engine, lease]);
}
