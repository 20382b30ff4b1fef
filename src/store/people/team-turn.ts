import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';

/**
 * Lets those who change the same of a team at once do so one after the other, until the end of the transaction: what is
 * counted or compared before something is added holds then (§8). Locks the team's row, which claims, acceptances and
 * settlements only read. SQLite has one writer and needs none.
 */
export async function takeTurn(trx: Trx, dialect: Dialect, teamId: string): Promise<void> {
  await trx
    .selectFrom('teams')
    .select('id')
    .where('id', '=', teamId)
    .modifyEnd(sql.raw(dialect.lock('for no key update')))
    .execute();
}
