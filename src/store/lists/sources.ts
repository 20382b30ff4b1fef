import { readTags, tagInList } from '#domain/team/tags';
import { type Sql, sql } from '../database/sql.ts';
import type { Database } from '../database/database.ts';
import { all } from '../database/rows.ts';

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
    isPausedLeftOut ? sql`is_paused = 0` : null,
  ];
  const rows = await all(db, table, { team_id: teamId, id }, { columns: ['id'], where });
  return rows.map((row) => row.id);
}

export async function listTagsOf(
  db: Database,
  teamId: string,
  table: 'crons' | 'queues',
): Promise<string[]> {
  const rows = await db.ask(sql<{ tags: string }>`
    select distinct tags from ${sql.raw(table)} where team_id = ${teamId} and tags is not null`);
  return [...new Set(rows.flatMap(({ tags }) => readTags(tags)))].toSorted();
}

/** Folds only ASCII letters: the two databases fold others differently. */
export function containsText({ dialect }: Database, kind: 'cron' | 'queue', text: string): Sql {
  const contains = (column: string) => {
    const value = sql`cast(${sql.raw(column)} as text)`;
    return sql`(${dialect.contains(value, sql`${text}`)}
      or ${dialect.contains(sql`lower(${value})`, sql`lower(${text})`)})`;
  };
  const columns = [
    'name',
    ...(kind === 'cron' ? ['url'] : []),
    // Shorter texts are in too many ids.
    ...(text.length >= 8 ? ['id'] : []),
  ];
  return sql`(${sql.join(columns.map(contains), ' or ')})`;
}

/** Reads each one of the team, because no index has tags. */
export function hasTag({ dialect }: Database, tag: string): Sql {
  return dialect.contains(sql.raw('tags'), sql`${tagInList(tag)}`);
}

/** Conditions that aren't given are left out. */
export function allOf(...conditions: (Sql | '' | undefined)[]) {
  const given = conditions.filter((each) => typeof each === 'object');
  return sql`${sql.join(given, ' and ')}`;
}
