import { PostgresAdapter, sql } from 'kysely';

type MigrationLock = Parameters<PostgresAdapter['acquireMigrationLock']>;

/**
 * Takes a lock for migrations per schema, so that installations in one database do not wait for each other. In the
 * schema `public` it is the same lock as in all earlier versions.
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
