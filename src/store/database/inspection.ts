import type { UntrustedSignIn, UntrustedHeader } from '../nodes/sightings.ts';
import type { OldSnapshot } from '../figures/snapshots.ts';

export interface DatabaseSize {
  /** All tables and indexes, or the file. */
  bytes: number;
  /** Without the space of deleted rows. */
  usedBytes: number;
  /** On Postgres an estimate from its statistics. */
  endedRuns: number;
  runsOfWeek: number;
}

export interface DatabaseReport {
  kind: 'found';
  pendingMigrations: readonly string[];
  unknownMigrations: readonly string[];
  /** Null: it can be written. */
  writeFault: string | null;
  damage: string | null;
  /** Relative to this machine, in milliseconds. */
  clockOffsetMs: number;
  /** Null on SQLite, which has none. */
  oldSnapshots: readonly OldSnapshot[] | null;
  /** Null on SQLite, which has no partitions. */
  partitionsAheadMs: number | null;
  /** Planned while the clock was ahead: crons beyond their next time, and waiting jobs of the future. */
  plannedAhead: { crons: number; jobs: number };
  /** Null on SQLite, where it is unknown. */
  engines: number | null;
  /** Settings that may lose data or slow the service down; null on SQLite. */
  server: { synchronousCommit: string; autovacuum: string } | null;
  size: DatabaseSize | null;
  untrustedForwarding: UntrustedHeader | null;
  untrustedSignIn: UntrustedSignIn | null;
  /** Null before the first start. */
  sealedKeyCheck: string | null;
}

export type Inspection =
  | DatabaseReport
  | { kind: 'not-made-yet' }
  | { kind: 'unreachable'; reason: string };
