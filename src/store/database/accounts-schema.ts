import type { Generated } from 'kysely';

/**
 * The tables of accounts, as Kysely sees them; tables/accounts.ts declares them.
 *
 * `users`, `sessions`, `accounts`, `verifications`, `two_factors` and `passkeys` have the columns that the accounts
 * library asks for; everything else is ours. No token is kept as text: `token_hash` is its SHA-256 in
 * hexadecimal (§5.2, §5.9).
 */
type YesNo = 0 | 1;

export type Role = 'owner' | 'admin' | 'member' | 'viewer';
/** The roles that an invitation or a change of role can give. A team gets a new owner only by a transfer. */
export type InvitedRole = Exclude<Role, 'owner'>;

export interface UsersTable {
  id: string;
  name: string;
  /** In lower case. */
  email: string;
  email_verified: YesNo;
  image: string | null;
  two_factor_enabled: YesNo;
  /** The team that the user's API token acts on (§5.2). May have been deleted, or left, since. */
  current_team_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface SessionsTable {
  id: string;
  token_hash: string;
  user_id: string;
  expires_at: number;
  ip_address: string | null;
  user_agent: string | null;
  /** The issuer of the provider; null for a session that was opened with what Belfry itself asks for. */
  opened_by: string | null;
  created_at: number;
  updated_at: number;
}

/** How a user signs in: by password, later also by identity providers. */
export interface AccountsTable {
  id: string;
  user_id: string;
  provider_id: string;
  account_id: string;
  /** A hash, see people/passwords.ts. */
  password: string | null;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: number | null;
  refresh_token_expires_at: number | null;
  scope: string | null;
  created_at: number;
  updated_at: number;
}

/** One-time tokens, which expire, such as the one behind a mailed link; the identifier is a hash. */
export interface VerificationsTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: number;
  created_at: number;
  updated_at: number;
}

export interface TwoFactorsTable {
  id: string;
  user_id: string;
  /** Encrypted by the auth library, as are the recovery codes. */
  secret: string;
  backup_codes: string;
  verified: YesNo;
  failed_verification_count: number;
  locked_until: number | null;
}

export interface PasskeysTable {
  id: string;
  user_id: string;
  name: string | null;
  credential_id: string;
  public_key: string;
  counter: number;
  device_type: string;
  backed_up: YesNo;
  transports: string | null;
  aaguid: string | null;
  created_at: number;
}

export interface AttemptWindowsTable {
  key: string;
  opened_at: number;
  hits: number;
}

export interface MembershipsTable {
  team_id: string;
  user_id: string;
  role: Role;
  /** The group of the provider or proxy that it came from; null for one that was made by hand. */
  group_name: Generated<string | null>;
  created_at: number;
}

export interface InvitationsTable {
  team_id: string;
  id: string;
  token_hash: string;
  email: string | null;
  role: InvitedRole;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

export interface ApiTokensTable {
  user_id: string;
  token_hash: string;
  /** The token's last four characters. */
  hint: string;
  created_at: number;
  last_used_at: number | null;
}

export interface AccountTables {
  users: UsersTable;
  sessions: SessionsTable;
  accounts: AccountsTable;
  verifications: VerificationsTable;
  passkeys: PasskeysTable;
  two_factors: TwoFactorsTable;
  attempt_windows: AttemptWindowsTable;
  memberships: MembershipsTable;
  invitations: InvitationsTable;
  api_tokens: ApiTokensTable;
}
