import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Inspection } from '../inspection.ts';
import { compareMigrations } from '../migrations/compare.ts';
import { KEY_CHECK } from '../seal.ts';

const BUSY_TIMEOUT_MS = 5000;

/** Throws what SQLite throws where the file cannot be read. */
export function inspectSqliteFile(path: string): Inspection {
  if (!existsSync(path)) return { kind: 'not-made-yet' };
  using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const verdict = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
  return {
    kind: 'found',
    ...compareMigrations(readNames(database)),
    writeFault: tryWriting(path),
    damage: verdict === 'ok' ? null : String(verdict),
    clockOffsetMs: 0,
    sealedKeyCheck: readKeyCheck(database),
  };
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  return found.get(name) !== undefined;
}

function readNames(database: DatabaseSync): string[] {
  if (!hasTable(database, 'kysely_migration')) return [];
  const rows = database.prepare('select name from kysely_migration order by name').all();
  return rows.map(({ name }) => String(name));
}

function readKeyCheck(database: DatabaseSync): string | null {
  if (!hasTable(database, 'installation')) return null;
  const row = database.prepare('select value from installation where key = ?').get(KEY_CHECK);
  return row === undefined ? null : String(row['value']);
}

/** Takes the right to write and gives it back. */
function tryWriting(path: string): string | null {
  try {
    using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    database.exec('begin immediate');
    database.exec('rollback');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
