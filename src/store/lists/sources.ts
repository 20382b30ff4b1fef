import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { hasTag } from './cron-lists.ts';

/**
 * The ids of a team's queues or crons.
 *
 * @param asked  `id`: this one only, if it is the team's; `tag`: in its stored form
 */
export async function findSourceIds(
  db: Database,
  teamId: string,
  table: 'queues' | 'crons',
  asked: {
    id?: string | undefined;
    tag?: string | undefined;
    isPausedLeftOut?: boolean | undefined;
  } = {},
): Promise<string[]> {
  const { id, tag, isPausedLeftOut = false } = asked;
  const rows = await db.read((reader) =>
    reader
      .selectFrom(table)
      .select('id')
      .where('team_id', '=', teamId)
      .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
      .$if(tag !== undefined, (query) => query.where(hasTag(db, tag ?? '')))
      .$if(isPausedLeftOut, (query) => query.where(sql<boolean>`is_paused = 0`))
      .execute(),
  );
  return rows.map((row) => row.id);
}
