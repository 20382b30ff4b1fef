import { TeamFull, type TeamBounds } from '#domain/team-bounds';
import type { Trx } from './database.ts';
import { lockTeam } from './lock-team.ts';

/**
 * How many more crons or queues a team may have. It locks the team's row until the end of the transaction, so that two
 * of its transactions don't both take the last place. The count reads at most as many rows as the bound.
 */
export async function countRoom(
  trx: Trx,
  teamId: string,
  { table, most }: { table: 'crons' | 'queues'; most: number },
): Promise<number> {
  await lockTeam(trx, teamId);
  const { count } = await trx
    .selectFrom((from) =>
      from.selectFrom(table).select('id').where('team_id', '=', teamId).limit(most).as('some'),
    )
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'bigint').as('count'))
    .executeTakeFirstOrThrow();
  return most - count;
}

/** @throws TeamFull */
export async function takePlace(
  trx: Trx,
  teamId: string,
  { table, bounds }: { table: 'crons' | 'queues'; bounds: TeamBounds },
): Promise<void> {
  const most = bounds[table];
  if ((await countRoom(trx, teamId, { table, most })) <= 0) throw new TeamFull(table, most);
}
