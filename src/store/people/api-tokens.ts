import type { Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { GroupCommit } from '../database/group-commit.ts';
import { preparedStatement } from '../database/prepared.ts';
import { change, one } from '../database/rows.ts';
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

const MAX_FIND_BATCH = 200;

/** For every API call: one row each of four tables, by key. */
const findOwnersByHash = preparedStatement<{
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
  const find = (hashes: readonly string[]) => findOwners(context, hashes);
  const finding = new GroupCommit(find, { maxBatch: MAX_FIND_BATCH, writers: 2 });
  return {
    ...bind(context, tokens),
    /** Reads for every call, since the user's team may have changed; simultaneous calls share one statement. */
    findOwner: (hash: string): Promise<FoundOwner | null> => finding.add(hash),
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

async function findOwners(
  { main }: Context,
  hashes: readonly string[],
): Promise<(FoundOwner | null)[]> {
  const wanted = [...new Set(hashes)].map((hash) => ({ token_hash: hash }));
  const rows = await main.read(findOwnersByHash, [packRows(HASH, wanted)]);
  const owners = new Map(
    rows.map((row) => [
      row.token_hash,
      {
        name: row.name,
        email: row.email,
        teamId: row.team_id,
        isViewer: row.role === 'viewer',
        lastUsedAt: row.last_used_at,
      },
    ]),
  );
  return hashes.map((hash) => owners.get(hash) ?? null);
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
