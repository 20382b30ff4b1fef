import { readTags } from '#domain/tags';
import type { Database } from '../database/database.ts';

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
