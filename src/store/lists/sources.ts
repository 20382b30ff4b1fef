import { sql } from 'kysely';
import { readTags } from '#domain/tags';
import type { Database } from '../database/database.ts';
import { all } from '../database/rows.ts';
import { hasTag } from './cron-lists.ts';

/** @param asked  `id`: this one only, if it is the team's; `tag`: in its stored form */
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
  const where = [
    tag === undefined ? null : hasTag(db, tag),
    isPausedLeftOut ? sql<boolean>`is_paused = 0` : null,
  ];
  const rows = await all(db, table, { team_id: teamId, id }, { columns: ['id'], where });
  return rows.map((row) => row.id);
}

export async function listTagsOf(
  db: Database,
  teamId: string,
  table: 'crons' | 'queues',
): Promise<string[]> {
  const rows = await db.read((reader) =>
    reader
      .selectFrom(table)
      .select('tags')
      .distinct()
      .where('team_id', '=', teamId)
      .where('tags', 'is not', null)
      .execute(),
  );
  return [...new Set(rows.flatMap(({ tags }) => readTags(tags)))].toSorted();
}
