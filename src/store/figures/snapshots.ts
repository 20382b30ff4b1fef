import { CompiledQuery } from 'kysely';
import type { Database } from '../database/database.ts';
import { findOldSnapshots, type OldSnapshot } from '../postgres/old-snapshots.ts';

export type { OldSnapshot };

/** Finds snapshots that slow the database down. */
export class SnapshotStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Snapshots older than ten minutes, oldest first. Vacuum cannot remove rows that died after the snapshot began, and
   * index scans have to pass them. SQLite has none.
   */
  async findOld(): Promise<OldSnapshot[]> {
    if (!this.#db.dialect.isShared) return [];
    return findOldSnapshots((text) => this.#db.autocommit(CompiledQuery.raw(text)));
  }
}
