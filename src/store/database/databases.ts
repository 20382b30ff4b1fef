import type { Database } from './database.ts';

/**
 * The ways to one database, by what they are for: what may take long holds up nothing that may not. On Postgres
 * each is a pool of its own; on SQLite there is one writer, and only searches have a thread apart.
 */
export interface Databases {
  /** The API, people, and the chores of a node: small writes, and reads by a key. */
  readonly main: Database;
  /** What pages list and count: a few at a time (STORE_BUSY beyond); nothing is written. */
  readonly searches: Database;
  /** What sends: claims, settlements, callbacks, and the settling of what dead nodes left. */
  readonly engine: Database;
  /** Leases: one row, read and renewed by itself. */
  readonly lease: Database;
}

export function eachDatabase({ main, searches, engine, lease }: Databases): Set<Database> {
  return new Set([main, searches, engine, lease]);
}
