/**
 * Databases that are migrated already. Migrating takes longer than most tests, so `npm test` does it once on each
 * database, and tests start from copies.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createDatabase, type TestDatabase } from './postgres.ts';

/** The name of the one on the Postgres server. */
export const MIGRATED = 'belfry_migrated';

/** Where the SQLite file lies; empty without `npm test`. */
const { BELFRY_MIGRATED = '' } = process.env;

/** Whether `npm test` has made both. */
export const isMade = BELFRY_MIGRATED !== '';

/** The bytes of a migrated SQLite file, where there is one. */
export function readMigrated(): Uint8Array | null {
  return isMade ? fs.readFileSync(path.resolve(BELFRY_MIGRATED)) : null;
}

/** A database for a service of its own; where no migrated one was made, that service migrates it. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return isMade ? createDatabase(MIGRATED) : createDatabase();
}

/**
 * Puts a migrated database into an empty folder, with a key beside it as the service makes one; nothing where none was
 * made, since the service makes both at its start.
 */
export function copyMigrated(folder: string, appKey: string): void {
  const bytes = readMigrated();
  if (bytes === null) return;
  fs.writeFileSync(path.join(folder, 'app.key'), `${appKey}\n`, { mode: 0o600 });
  fs.writeFileSync(path.join(folder, 'belfry.db'), bytes, { mode: 0o600 });
}
