import { newId } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import { bind, type Context } from '../database/context.ts';
import type { Fields } from '../database/dialect.ts';
import { groupedFind } from '../database/grouped-find.ts';
import { preparedStatement } from '../database/prepared.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import { countFree } from '../database/row-bounds.ts';
import { add, all, change, one, remove } from '../database/rows.ts';
import type { Row } from '../tables/tables.ts';
import type { TokenToKeep } from './api-tokens.ts';

const SHOWN = ['id', 'name', 'hint', 'made_by', 'created_at', 'last_used_at'] as const;
export type ServiceAccount = RecordOf<Pick<Row<'service_accounts'>, (typeof SHOWN)[number]>>;

interface NewServiceAccount {
  name: string;
  madeBy: string;
  token: TokenToKeep;
}

const HASH = { token_hash: 'text' } as const satisfies Fields;

const findByHash = preparedStatement<{
  token_hash: string;
  team_id: string;
  name: string;
  last_used_at: number | null;
}>(
  'find-service-accounts',
  (dialect) => `
  select a.token_hash, a.team_id, a.name, a.last_used_at
  from ${dialect.rows(HASH, 1)} cross join service_accounts a
  join teams t on t.id = a.team_id and t.deleted_at is null
  where a.token_hash = given.token_hash`,
);

export function serviceAccounts(context: Context) {
  const facts = ['team_id', 'name', 'last_used_at'] as const;
  const find = groupedFind(context, findByHash, HASH, 'token_hash', (row) => toRecord(row, facts));
  return {
    ...bind(context, accounts),
    /** For every call, so a revoked token is refused at once. */
    findByToken: (hash: string) => find({ token_hash: hash }),
  };
}

const accounts = {
  async add(
    { main }: Context,
    teamId: string,
    { name, madeBy, token }: NewServiceAccount,
    now: number,
  ): Promise<{ id: string } | 'name-taken' | 'too-many'> {
    return main.transact(async (trx) => {
      const free = await countFree(trx, teamId, 'service_accounts', LIMITS.serviceAccounts);
      if (await one(trx, 'service_accounts', { team_id: teamId, name }, ['id']))
        return 'name-taken';
      if (free <= 0) return 'too-many';
      const id = newId(now);
      await add(trx, 'service_accounts', {
        team_id: teamId,
        id,
        name,
        token_hash: token.hash,
        hint: token.hint,
        made_by: madeBy,
        created_at: now,
        last_used_at: null,
      });
      return { id };
    });
  },

  /** By name. */
  async list({ main }: Context, teamId: string): Promise<ServiceAccount[]> {
    const choice = { columns: SHOWN, order: ['name'] as const };
    const rows = await all(main, 'service_accounts', { team_id: teamId }, choice);
    return rows.map((row) => toRecord(row, SHOWN));
  },

  /** Its token is refused from this commit on. Gives its name. */
  async revoke({ main }: Context, teamId: string, accountId: string): Promise<string | null> {
    return main.transact(async (trx) => {
      const key = { team_id: teamId, id: accountId };
      const account = await one(trx, 'service_accounts', key, ['name']);
      return (await remove(trx, 'service_accounts', key)) > 0 ? (account?.name ?? null) : null;
    });
  },

  async markUsed({ main }: Context, hash: string, now: number): Promise<void> {
    await change(main, 'service_accounts', { token_hash: hash }, { last_used_at: now });
  },
};
