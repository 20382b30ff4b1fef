import { TeamFull, type TeamBounds } from '#domain/team/team-bounds';
import type { Trx } from './database.ts';
import { count } from './rows.ts';
import { lockTeam } from './lock-team.ts';

/** Locks the team, so two transactions don't both take the last place. */
export async function countFree(
  trx: Trx,
  teamId: string,
  table: 'crons' | 'queues' | 'service_accounts',
  most: number,
): Promise<number> {
  await lockTeam(trx, teamId);
  return most - (await count(trx, table, { team_id: teamId }, most));
}

/** @throws TeamFull */
export async function takePlace(
  trx: Trx,
  teamId: string,
  table: 'crons' | 'queues',
  bounds: TeamBounds,
): Promise<void> {
  const most = bounds[table];
  if ((await countFree(trx, teamId, table, most)) <= 0) throw new TeamFull(table, most);
}
