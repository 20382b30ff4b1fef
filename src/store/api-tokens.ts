import type { Database, Trx } from './database.ts';
import { hotStatement, runHot } from './hot.ts';

/** A token as it is kept; the text itself is known to its user alone (D34). */
export interface TokenToKeep {
  /** SHA-256 in hexadecimal. */
  hash: string;
  hint: string;
}

export interface TokenFacts {
  hint: string;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface FoundOwner {
  userId: string;
  /** The user's current team; null where none is chosen, it was deleted, or the user has left it (§5.3). */
  teamId: string | null;
  lastUsedAt: number | null;
}

/** Read on every API call: one row each of four tables, by their keys. */
const findOwnerByHash = hotStatement<{
  user_id: string;
  team_id: string | null;
  last_used_at: number | null;
}>(
  'find-token-owner',
  (dialect) => `
  select k.user_id, t.id as team_id, k.last_used_at
  from api_tokens k
  join users u on u.id = k.user_id
  left join memberships m on m.team_id = u.current_team_id and m.user_id = u.id
  left join teams t on t.id = m.team_id and t.deleted_at is null
  where k.token_hash = ${dialect === 'postgres' ? '$1' : '?1'}`,
);

export class ApiTokenStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async findOwner(hash: string): Promise<FoundOwner | null> {
    const [row] = await this.#db.read((db) =>
      runHot(db, this.#db.dialect, findOwnerByHash, [hash]),
    );
    return row ? { userId: row.user_id, teamId: row.team_id, lastUsedAt: row.last_used_at } : null;
  }

  /** Replaces the user's token: the old one stops working with this commit. */
  async replace(userId: string, token: TokenToKeep, now: number): Promise<void> {
    await this.#db.transact((trx) => keepToken(trx, userId, token, now));
  }

  async read(userId: string): Promise<TokenFacts | null> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('api_tokens')
        .select(['hint', 'created_at', 'last_used_at'])
        .where('user_id', '=', userId)
        .executeTakeFirst(),
    );
    return row ? { hint: row.hint, createdAt: row.created_at, lastUsedAt: row.last_used_at } : null;
  }

  async markUsed(hash: string, now: number): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .updateTable('api_tokens')
        .set({ last_used_at: now })
        .where('token_hash', '=', hash)
        .execute(),
    );
  }
}

export async function keepToken(
  trx: Trx,
  userId: string,
  { hash, hint }: TokenToKeep,
  now: number,
): Promise<void> {
  const columns = { token_hash: hash, hint, created_at: now, last_used_at: null };
  await trx
    .insertInto('api_tokens')
    .values({ user_id: userId, ...columns })
    .onConflict((oc) => oc.column('user_id').doUpdateSet(columns))
    .execute();
}
