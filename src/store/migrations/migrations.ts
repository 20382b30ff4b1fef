import type { DialectName, RunText } from '../database/dialect.ts';

/** A change of the schema after the first release (docs/contributing.md, "Migrations"). */
export interface Migration {
  /** `0002-what-it-does`; migrations are applied in the order of their names. */
  name: string;
  /** Brings a database of the previous version into the form in which tables/ declares it. */
  run: (run: RunText, dialect: DialectName) => Promise<void>;
  /**
   * On Postgres it runs outside of a transaction, as `create index concurrently` requires. It may be interrupted after
   * any statement, and then runs again from its start.
   */
  isOnline?: true;
}

/** The name under which the tables of a new database are recorded. */
export const BASELINE = '0001-baseline';

/** In order. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [];

/** Compares the migrations that were applied to a database with those of this version. */
export function compareMigrations(applied: readonly string[], migrations = MIGRATIONS) {
  const names = [BASELINE, ...migrations.map(({ name }) => name)];
  return {
    pendingMigrations: names.filter((name) => !applied.includes(name)),
    unknownMigrations: applied.filter((name) => !names.includes(name)),
  };
}
