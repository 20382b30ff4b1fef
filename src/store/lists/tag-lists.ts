import { readTags } from '#domain/tags';
import type { Database } from '../database/database.ts';
import { pageStatement } from '../database/prepared.ts';

/** `failing`: active, and the last finished run failed. */
export interface TaggedCrons {
  failing: number;
  healthy: number;
  paused: number;
}

interface TaggedRow {
  tags: string;
  standing: keyof TaggedCrons;
  number: number;
}

/** One index step for the last run of each active cron that has tags. Parameters: 1 team */
const countTagged = pageStatement<TaggedRow>(
  'count-tagged-crons',
  (dialect) => `
  select tags, standing, count(*) as number from (
    select c.tags, case when c.is_active = 0 then 'paused'
      when (select e.status from ended_executions e where e.cron_id = c.id
        order by e.id desc limit 1) = 'failed' then 'failing'
      else 'healthy' end as standing
    from crons c where c.team_id = ${dialect.$(1)} and c.tags is not null) as tagged
  group by tags, standing`,
);

/** A cron with two tags is counted under both. */
export async function countTaggedCrons(
  db: Database,
  teamId: string,
): Promise<Map<string, TaggedCrons>> {
  const rows = await db.read(countTagged, [teamId]);
  const byTag = new Map<string, TaggedCrons>();
  for (const { tags, standing, number } of rows) {
    for (const tag of readTags(tags)) {
      const counts = byTag.get(tag) ?? { failing: 0, healthy: 0, paused: 0 };
      counts[standing] += number;
      byTag.set(tag, counts);
    }
  }
  return byTag;
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
