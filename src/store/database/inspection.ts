import type { UntrustedHeader } from '../nodes/untrusted-headers.ts';
import type { OldSnapshot } from '../figures/snapshots.ts';

/** How much is in a database. */
export interface Holding {
  /** Of all its tables and indexes, or its file. */
  bytes: number;
  /** Jobs and executions that have ended; on Postgres as its statistics have it. */
  endedRuns: number;
  /** How many ended in the last seven days. */
  runsOfWeek: number;
}

/** A database as found, unchanged. */
export interface DatabaseReport {
  kind: 'found';
  /** Names that are still to be applied. */
  pendingMigrations: readonly string[];
  /** Names that this version does not know: a newer one has been here. */
  unknownMigrations: readonly string[];
  /** What keeps it from being written, or null. */
  writeFault: string | null;
  /** What is wrong with what is stored, or null. */
  damage: string | null;
  /** The database's clock minus this machine's, in milliseconds. */
  clockOffsetMs: number;
  /** Older than ten minutes, oldest first; null where the database has no such thing. */
  oldSnapshots: readonly OldSnapshot[] | null;
  /** For how long from now on jobs that end find a partition; null where there are none to find. */
  partitionsAheadMs: number | null;
  /** Null before the tables are there. */
  holding: Holding | null;
  /** The last header of a proxy that came although no setting trusts it; null where none has. */
  untrustedForwarding: UntrustedHeader | null;
  /** A sealed text that opens with the key that the database was made with; null before the first start. */
  sealedKeyCheck: string | null;
}

export type Inspection =
  | DatabaseReport
  | { kind: 'not-made-yet' }
  | { kind: 'unreachable'; reason: string };
