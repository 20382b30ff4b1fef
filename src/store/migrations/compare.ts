import { MIGRATION_NAMES } from './index.ts';

/** Compares what has been applied to a database with what this version has. */
export function compareMigrations(applied: readonly string[]) {
  return {
    pendingMigrations: MIGRATION_NAMES.filter((name) => !applied.includes(name)),
    unknownMigrations: applied.filter((name) => !MIGRATION_NAMES.includes(name)),
  };
}
