/** `token_hash` is SHA-256 in hexadecimal (§5.2, §5.9). */
import { bigint, id, instant, integer, oneOf, table, text, yesNo } from './table.ts';

export type Role = 'owner' | 'admin' | 'member' | 'viewer';
/** A team gets a new owner only by a transfer. */
export type InvitedRole = Exclude<Role, 'owner'>;

export const users = table(
  'users',
  {
    id: id(),
    name: text(),
    /** In lower case. */
    email: text().unique.check((name) => `${name} = lower(${name})`),
    email_verified: yesNo().default(0),
    two_factor_enabled: yesNo().default(0),
    /** The API token acts on it (§5.2). It may be deleted or left. */
    current_team_id: id().orNull,
    created_at: instant(),
    updated_at: instant(),
  },
  { key: ['id'] },
);

export const sessions = table(
  'sessions',
  {
    id: id(),
    token_hash: text().unique,
    user_id: id().deletedWith('users'),
    expires_at: instant(),
    ip_address: text().orNull,
    user_agent: text().orNull,
    /** The provider's issuer; null for Belfry's own sign-in (§5.7). */
    opened_by: text().orNull,
    created_at: instant(),
  },
  {
    key: ['id'],
    indexes: { sessions_of_user: { on: ['user_id'] }, sessions_by_end: { on: ['expires_at'] } },
  },
);

export const accounts = table(
  'accounts',
  {
    id: id(),
    user_id: id().deletedWith('users'),
    provider_id: text(),
    account_id: text(),
    /** A hash, see people/passwords.ts. */
    password: text().orNull,
    created_at: instant(),
    updated_at: instant(),
  },
  {
    key: ['id'],
    unique: { one_user_per_proof: ['provider_id', 'account_id'] },
    indexes: { accounts_of_user: { on: ['user_id'] } },
  },
);

export const oneTimeTokens = table(
  'one_time_tokens',
  {
    /** SHA-256 in hexadecimal. */
    hash: text(),
    purpose: text(),
    /** The id of a user or of a channel's address, or the email of a person without an account. */
    whom: text(),
    detail: text(),
    expires_at: instant(),
  },
  {
    key: ['hash'],
    indexes: {
      one_time_tokens_of: { on: ['whom'] },
      one_time_tokens_by_end: { on: ['expires_at'] },
    },
  },
);

export const twoFactors = table(
  'two_factors',
  {
    user_id: id().deletedWith('users'),
    sealed_secret: text(),
    /** A JSON list of keyed hashes. */
    recovery_codes: text(),
    /** 0 until the first code. */
    verified: yesNo().default(0),
    /** Of the last used code (RFC 6238). */
    last_step: bigint(),
  },
  { key: ['user_id'] },
);

export const passkeys = table(
  'passkeys',
  {
    id: id(),
    user_id: id().deletedWith('users'),
    name: text(),
    credential_id: text().unique,
    /** In base64url. */
    public_key: text(),
    counter: bigint(),
    /** Separated by commas. */
    transports: text(),
    created_at: instant(),
  },
  { key: ['id'], indexes: { passkeys_of_user: { on: ['user_id'] } } },
);

export const rateWindows = table(
  'rate_windows',
  { key: text(), ends_at: instant(), hits: integer() },
  { key: ['key'] },
);

export const memberships = table(
  'memberships',
  {
    team_id: id().deletedWith('teams'),
    user_id: id().deletedWith('users'),
    role: oneOf<Role>('owner', 'admin', 'member', 'viewer'),
    /** Null for a membership made by hand (§5.7). */
    group_name: text().orNull,
    created_at: instant(),
  },
  {
    key: ['team_id', 'user_id'],
    indexes: {
      teams_of_user: { on: ['user_id'] },
      one_owner_per_team: { on: ['team_id'], where: "role = 'owner'", isUnique: true },
    },
  },
);

/** A used or revoked one is deleted. */
export const invitations = table(
  'invitations',
  {
    team_id: id().deletedWith('teams'),
    id: id(),
    token_hash: text().unique,
    email: text().orNull,
    role: oneOf<InvitedRole>('admin', 'member', 'viewer'),
    invited_by: id().deletedWith('users'),
    created_at: instant(),
    expires_at: instant(),
  },
  { key: ['team_id', 'id'] },
);

export const apiTokens = table(
  'api_tokens',
  {
    user_id: id().deletedWith('users'),
    token_hash: text().unique,
    /** The last four characters. */
    hint: text(),
    created_at: instant(),
    last_used_at: instant().orNull,
  },
  { key: ['user_id'] },
);

/** It belongs to a team and to no user; a revoked one is deleted. */
export const serviceAccounts = table(
  'service_accounts',
  {
    team_id: id().deletedWith('teams'),
    id: id(),
    name: text(),
    token_hash: text().unique,
    /** The last four characters. */
    hint: text(),
    /** The name of the maker, who may leave the team. */
    made_by: text(),
    created_at: instant(),
    last_used_at: instant().orNull,
  },
  { key: ['team_id', 'id'], unique: { one_service_account_per_name: ['team_id', 'name'] } },
);
