import type { DialectName, RunText } from '../database/dialect.ts';

/** See docs/contributing.md, "Migrations". */
export interface Migration {
  /** `0002-what-it-does`; applied by name. */
  name: string;
  /** From the previous version to tables/. */
  run: (run: RunText, dialect: DialectName) => Promise<void>;
  /**
   * On Postgres outside of a transaction, for `create index concurrently`. It may be interrupted and then runs again.
   */
  isOnline?: true;
}

/**
 * Up to the first release it ends in the hash of the tables (migrate.test.ts), so that a database of an earlier commit
 * is refused. Then it stays.
 */
export const BASELINE = '0001-baseline-1707a28d';

/** A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [];

export function compareMigrations(applied: readonly string[], migrations = MIGRATIONS) {
  const names = [BASELINE, ...migrations.map(({ name }) => name)];
  return {
    pendingMigrations: names.filter((name) => !applied.includes(name)),
    unknownMigrations: applied.filter((name) => !names.includes(name)),
  };
}
