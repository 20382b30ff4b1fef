import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

type Column = (c: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

const needed: Column = (c) => c.notNull();
const yesNo =
  (name: string): Column =>
  (c) =>
    c
      .notNull()
      .defaultTo(0)
      .check(sql`${sql.ref(name)} in (0, 1)`);
/** Rows of a user are deleted with the user. */
const ofUser: Column = (c) => c.notNull().references('users.id').onDelete('cascade');

/** People: accounts, their sessions and tokens, and who belongs to which team. */
export async function createAccountTables(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await createUsers(db, t);
  await createSessions(db, t);
  await createProofs(db, t);
  await createTwoFactors(db, t);
  await createMemberships(db, t);
  await createInvitations(db, t);
  await createTokens(db, t);
  await db.schema.alterTable('teams').addColumn('signing_secret_set_at', t.instant).execute();
}

async function createUsers(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('name', 'text', needed)
    .addColumn('email', 'text', (c) =>
      c
        .notNull()
        .unique()
        .check(sql`email = lower(email)`),
    )
    .addColumn('email_verified', 'integer', yesNo('email_verified'))
    .addColumn('image', 'text')
    .addColumn('two_factor_enabled', 'integer', yesNo('two_factor_enabled'))
    .addColumn('current_team_id', t.id)
    .addColumn('created_at', t.instant, needed)
    .addColumn('updated_at', t.instant, needed)
    .execute();
}

async function createSessions(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', t.id, ofUser)
    .addColumn('expires_at', t.instant, needed)
    .addColumn('ip_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', t.instant, needed)
    .addColumn('updated_at', t.instant, needed)
    .execute();
  await db.schema.createIndex('sessions_of_user').on('sessions').column('user_id').execute();
  await db.schema.createIndex('sessions_by_end').on('sessions').column('expires_at').execute();
}

async function createProofs(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('user_id', t.id, ofUser)
    .addColumn('provider_id', 'text', needed)
    .addColumn('account_id', 'text', needed)
    .addColumn('password', 'text')
    .addColumn('access_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('id_token', 'text')
    .addColumn('access_token_expires_at', t.instant)
    .addColumn('refresh_token_expires_at', t.instant)
    .addColumn('scope', 'text')
    .addColumn('created_at', t.instant, needed)
    .addColumn('updated_at', t.instant, needed)
    .addUniqueConstraint('one_user_per_proof', ['provider_id', 'account_id'])
    .execute();
  await db.schema.createIndex('accounts_of_user').on('accounts').column('user_id').execute();
  await db.schema
    .createTable('verifications')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('identifier', 'text', needed)
    .addColumn('value', 'text', needed)
    .addColumn('expires_at', t.instant, needed)
    .addColumn('created_at', t.instant, needed)
    .addColumn('updated_at', t.instant, needed)
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('verifications');
  await index('verifications_by_identifier').column('identifier').execute();
  await index('verifications_by_value').column('value').execute();
  await index('verifications_by_end').column('expires_at').execute();
}

async function createTwoFactors(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('two_factors')
    .addColumn('id', t.id, (c) => c.primaryKey())
    .addColumn('user_id', t.id, (c) => ofUser(c).unique())
    .addColumn('secret', 'text', needed)
    .addColumn('backup_codes', 'text', needed)
    .addColumn('verified', 'integer', yesNo('verified'))
    .addColumn('failed_verification_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('locked_until', t.instant)
    .execute();
  await db.schema
    .createTable('attempt_windows')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('opened_at', t.instant, needed)
    .addColumn('hits', 'integer', needed)
    .execute();
}

async function createMemberships(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('memberships')
    .addColumn('team_id', t.id, (c) => c.notNull().references('teams.id').onDelete('cascade'))
    .addColumn('user_id', t.id, ofUser)
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('owner', 'admin', 'member')`))
    .addColumn('created_at', t.instant, needed)
    .addPrimaryKeyConstraint('memberships_pk', ['team_id', 'user_id'])
    .execute();
  await db.schema.createIndex('teams_of_user').on('memberships').column('user_id').execute();
  await db.schema
    .createIndex('one_owner_per_team')
    .unique()
    .on('memberships')
    .column('team_id')
    .where(sql.ref('role'), '=', sql.lit('owner'))
    .execute();
}

/** Open invitations. One that was used or revoked is deleted, so it cannot be used again. */
async function createInvitations(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('team_id', t.id, (c) => c.notNull().references('teams.id').onDelete('cascade'))
    .addColumn('id', t.id, needed)
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text')
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('admin', 'member')`))
    .addColumn('invited_by', t.id, ofUser)
    .addColumn('created_at', t.instant, needed)
    .addColumn('expires_at', t.instant, needed)
    .addPrimaryKeyConstraint('invitations_pk', ['team_id', 'id'])
    .execute();
}

async function createTokens(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('api_tokens')
    .addColumn('user_id', t.id, (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', needed)
    .addColumn('created_at', t.instant, needed)
    .addColumn('last_used_at', t.instant)
    .execute();
}
