import type { StrangeSignIn, UntrustedHeader } from '../nodes/sightings.ts';
import type { OldSnapshot } from '../figures/snapshots.ts';

/** The amount of data in a database. */
export interface Holding {
  /** The size of all tables and indexes, or of the file. */
  bytes: number;
  /** The number of ended jobs and executions; on Postgres an estimate from its statistics. */
  endedRuns: number;
  /** How many runs ended in the last seven days. */
  runsOfWeek: number;
}

/** The state of a database that was only examined. */
export interface DatabaseReport {
  kind: 'found';
  /** Names of migrations that are not applied yet. */
  pendingMigrations: readonly string[];
  /** Names of applied migrations that are unknown to this version: a newer version has migrated the database. */
  unknownMigrations: readonly string[];
  /** Why the database can't be written, or null. */
  writeFault: string | null;
  /** The damage in the stored data, or null. */
  damage: string | null;
  /** The database's clock minus this machine's, in milliseconds. */
  clockOffsetMs: number;
  /** Snapshots older than ten minutes, oldest first; null on SQLite, which has none. */
  oldSnapshots: readonly OldSnapshot[] | null;
  /** For how many milliseconds from now partitions for ended jobs exist; null on SQLite, which has none. */
  partitionsAheadMs: number | null;
  /**
   * Rows planned while the clock was ahead: crons that wait beyond the next time of their schedule, and waiting jobs
   * that were made later than now.
   */
  plannedAhead: { crons: number; jobs: number };
  /** How many processes with an engine are alive; null on SQLite, where it is unknown. */
  engines: number | null;
  /** Settings of Postgres for this user that may lose data or slow the service down; null on SQLite. */
  server: { synchronousCommit: string; autovacuum: string } | null;
  /** Null before the tables exist. */
  holding: Holding | null;
  /** The last header of a proxy that came while no setting trusts it; null where none came. */
  untrustedForwarding: UntrustedHeader | null;
  /** The last header of the sign-in proxy that came from elsewhere; null where none came. */
  strangeSignIn: StrangeSignIn | null;
  /** A text sealed with the key that the database was made with; null before the first start. */
  sealedKeyCheck: string | null;
}

export type Inspection =
  | DatabaseReport
  | { kind: 'not-made-yet' }
  | { kind: 'unreachable'; reason: string };
