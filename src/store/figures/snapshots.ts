import { CompiledQuery } from 'kysely';
import type { Database } from '../database/database.ts';
import { findOldSnapshots, type OldSnapshot } from '../postgres/old-snapshots.ts';

export type { OldSnapshot };

/** What makes the database slower by being there. */
export class SnapshotStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Snapshots older than ten minutes, oldest first: Postgres keeps everything that was done since, and what looks for
   * the few rows that matter goes through it. SQLite has none.
   */
  async findOld(): Promise<OldSnapshot[]> {
    if (!this.#db.dialect.isShared) return [];
    return findOldSnapshots((text) => this.#db.autocommit(CompiledQuery.raw(text)));
  }
}
