import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Passkeys, in the columns of the auth library. They hold public keys, which are no secrets. */
export async function createPasskeys(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('user_id', t.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text')
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', t.instant, (c) => c.notNull())
    .addColumn('device_type', 'text', (c) => c.notNull())
    .addColumn('backed_up', 'integer', (c) => c.notNull().check(sql`backed_up in (0, 1)`))
    .addColumn('transports', 'text')
    .addColumn('aaguid', 'text')
    .addColumn('created_at', t.instant, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('passkeys_of_user').on('passkeys').column('user_id').execute();
}
