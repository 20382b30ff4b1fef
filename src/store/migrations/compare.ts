import { MIGRATION_NAMES } from './index.ts';

/** Compares the migrations that were applied to a database with those of this version. */
export function compareMigrations(applied: readonly string[]) {
  return {
    pendingMigrations: MIGRATION_NAMES.filter((name) => !applied.includes(name)),
    unknownMigrations: applied.filter((name) => !MIGRATION_NAMES.includes(name)),
  };
}
