/** Node's test runner calls it before and after the tests of `npm test`: one Postgres and migrated databases for all. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeMemoryFolder } from './memory-folder.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { prepareMigrated, readMigratedFile } from './stores.ts';

const MIGRATED = path.join(path.dirname(import.meta.dirname), 'build/migrated.db');

let server: Postgres | null = null;

/** Test processes inherit the variables that are set here. */
export async function globalSetup(): Promise<void> {
  process.env['BELFRY_TEST_CACHE'] ??= os.tmpdir();
  process.env['TMPDIR'] = makeMemoryFolder() ?? os.tmpdir();
  const { TEST_POSTGRES_PROGRAMS: programs } = process.env;
  server = await startPostgres(programs ? { programs } : {});
  process.env['TEST_POSTGRES_URL'] = server.url;
  fs.writeFileSync(MIGRATED, await readMigratedFile());
  await prepareMigrated();
  process.env['BELFRY_MIGRATED'] = MIGRATED;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
