import { PostgresAdapter, sql } from 'kysely';

type MigrationLock = Parameters<PostgresAdapter['acquireMigrationLock']>;

/**
 * Installations that share a database, each in a schema of its own, do not wait for each other's migrations. In the
 * schema `public` the lock is the one that all versions have taken.
 */
export class SchemaAdapter extends PostgresAdapter {
  override async acquireMigrationLock(...[db, options]: MigrationLock): Promise<void> {
    if (isCommon(options)) return super.acquireMigrationLock(db, options);
    await sql`select pg_advisory_lock(${lockOf(options)})`.execute(db);
  }

  override async releaseMigrationLock(...[db, options]: MigrationLock): Promise<void> {
    if (isCommon(options)) return super.releaseMigrationLock(db, options);
    await sql`select pg_advisory_unlock(${lockOf(options)})`.execute(db);
  }
}

function isCommon({ lockTableSchema = 'public' }: MigrationLock[1]): boolean {
  return lockTableSchema === 'public';
}

function lockOf({ lockTableSchema }: MigrationLock[1]) {
  return sql`hashtextextended(${`belfry migrations ${lockTableSchema}`}, 0)`;
}
