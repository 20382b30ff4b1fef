import { newId } from '#domain/base/ids';
import { sql } from '../database/sql.ts';
import type { Trx } from '../database/database.ts';
import { addMissing, not, one, remove } from '../database/rows.ts';
import { PASSWORD } from './passwords.ts';
import type { Context } from '../database/context.ts';

export interface ProviderLink {
  /** `PROXY_ISSUER` for the proxy. */
  issuer: string;
  subject: string;
}

/** The proxy identifies people by email. */
export const PROXY_ISSUER = 'proxy';

/** A provider has one person per account, and a person has one account. */
export const providerLinks = {
  async find(
    { main }: Context,
    { issuer, subject }: ProviderLink,
  ): Promise<{ id: string; email: string } | null> {
    const [user] = await main.ask(sql<{ id: string; email: string }>`
      select u.id, u.email from accounts a join users u on u.id = a.user_id
      where a.provider_id = ${providerOf(issuer)} and a.account_id = ${subject}`);
    return user ?? null;
  },

  async isJoined({ main }: Context, userId: string, issuer: string): Promise<boolean> {
    const key = { user_id: userId, provider_id: providerOf(issuer) };
    return (await one(main, 'accounts', key, ['id'])) !== undefined;
  },

  async removeAll({ main }: Context, userId: string): Promise<number> {
    return remove(main, 'accounts', { user_id: userId, provider_id: not(PASSWORD) });
  },

  /** False if the account or the person has another link. */
  async add({ main }: Context, userId: string, link: ProviderLink, now: number): Promise<boolean> {
    return main.transact(async (trx) => {
      // Two simultaneous sign-ins wait for each other.
      await one(trx, 'users', { id: userId }, ['id'], 'for update');
      const key = { user_id: userId, provider_id: providerOf(link.issuer) };
      const other = await one(trx, 'accounts', key, ['id']);
      return other === undefined && addLink(trx, userId, link, now);
    });
  },
};

/** False if the person has an account. */
export async function addLink(
  trx: Trx,
  userId: string,
  { issuer, subject }: ProviderLink,
  now: number,
): Promise<boolean> {
  const added = await addMissing(trx, 'accounts', {
    id: newId(now),
    user_id: userId,
    provider_id: providerOf(issuer),
    account_id: subject,
    password: null,
    created_at: now,
    updated_at: now,
  });
  return added === 1;
}

function providerOf(issuer: string): string {
  return `oidc ${issuer}`;
}
