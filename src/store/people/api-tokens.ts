import type { Trx } from '../database/database.ts';
import type { Fields } from '../database/dialect.ts';
import { groupedFind } from '../database/grouped-find.ts';
import { preparedStatement } from '../database/prepared.ts';
import { change, one, put } from '../database/rows.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Row } from '../tables/tables.ts';
import { bind, type Context } from '../database/context.ts';

export interface TokenToKeep {
  hash: string;
  hint: string;
}

const FACTS = ['hint', 'created_at', 'last_used_at'] as const;
type TokenFacts = RecordOf<Pick<Row<'api_tokens'>, (typeof FACTS)[number]>>;

interface FoundOwner {
  name: string;
  email: string;
  /** Null if none is selected (§5.3). */
  teamId: string | null;
  isViewer: boolean;
  lastUsedAt: number | null;
}

const HASH = { token_hash: 'text' } as const satisfies Fields;

/** For every API call: one row each of four tables, by key. */
const findOwners = preparedStatement<{
  token_hash: string;
  name: string;
  email: string;
  team_id: string | null;
  role: string | null;
  last_used_at: number | null;
}>(
  'find-token-owners',
  (dialect) => `
  select k.token_hash, u.name, u.email, t.id as team_id, m.role, k.last_used_at
  from ${dialect.rows(HASH, 1)} cross join api_tokens k
  join users u on u.id = k.user_id
  left join memberships m on m.team_id = u.current_team_id and m.user_id = u.id
  left join teams t on t.id = m.team_id and t.deleted_at is null
  where k.token_hash = given.token_hash`,
);

export function apiTokens(context: Context) {
  const find = groupedFind(context, findOwners, HASH, 'token_hash', (row): FoundOwner => {
    const { name, email, team_id: teamId, role, last_used_at: lastUsedAt } = row;
    return { name, email, teamId, isViewer: role === 'viewer', lastUsedAt };
  });
  return {
    ...bind(context, tokens),
    /** For every call, since the user's team may have changed. */
    findOwner: (hash: string) => find({ token_hash: hash }),
  };
}

const tokens = {
  /** The old token stops working with this commit. */
  async replace({ main }: Context, userId: string, token: TokenToKeep, now: number): Promise<void> {
    await main.transact((trx) => keepToken(trx, userId, token, now));
  },

  async read({ main }: Context, userId: string): Promise<TokenFacts | null> {
    const row = await one(main, 'api_tokens', { user_id: userId }, FACTS);
    return row ? toRecord(row, FACTS) : null;
  },

  async markUsed({ main }: Context, hash: string, now: number): Promise<void> {
    await change(main, 'api_tokens', { token_hash: hash }, { last_used_at: now });
  },
};

export async function keepToken(
  trx: Trx,
  userId: string,
  { hash, hint }: TokenToKeep,
  now: number,
): Promise<void> {
  const columns = { token_hash: hash, hint, created_at: now, last_used_at: null };
  await put(trx, 'api_tokens', { user_id: userId }, columns);
}
