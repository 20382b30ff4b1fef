import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { tagInList } from '#domain/tags';
import type { Database } from '../database/database.ts';
import type { Tables } from '../tables/tables.ts';

/** A place in the list of crons: name and id, since names need not be unique. */
export interface CronKey {
  name: string;
  id: string;
}

/** The filter of a list of crons; all given conditions must hold. */
export interface CronSearch {
  /** A text in the name, the URL or the id; A to Z in either case. */
  text?: string;
  /**
   * `ended`: active without a time to come, which `active` leaves out. `failed`: active, and the last finished run
   * failed; `healthy`: active, and it did not.
   */
  status?: 'active' | 'paused' | 'ended' | 'failed' | 'healthy';
  /** A tag, in its stored form. */
  tag?: string;
}

export interface CronsAsked extends CronSearch {
  after?: CronKey;
  before?: CronKey;
  limit: number;
}

/** The ids of a page of crons by name; one more than `limit` if there are more. */
export async function listCronIds(
  db: Database,
  teamId: string,
  { after, before, limit, text, status, tag }: CronsAsked,
): Promise<string[]> {
  const key = after ?? before;
  const isBack = after === undefined && before !== undefined;
  const rows = await db.read((reader) =>
    reader
      .selectFrom('crons')
      .select('id')
      .where('team_id', '=', teamId)
      .$if(key !== undefined, (query) =>
        query.where((eb) => isBeyond(eb, key ?? { name: '', id: '' }, isBack)),
      )
      .$if(text !== undefined, (query) => query.where(containsText(db, text ?? '')))
      .$if(status === 'paused', (query) => query.where('is_active', '=', 0))
      .$if(status === 'active' || status === 'ended', (query) =>
        query
          .where('is_active', '=', 1)
          .where('next_run_at', status === 'ended' ? 'is' : 'is not', null),
      )
      .$if(status === 'failed', (query) => query.where('is_active', '=', 1).where(lastRunFailed))
      .$if(status === 'healthy', (query) =>
        query.where('is_active', '=', 1).where(sql<boolean>`not ${lastRunFailed}`),
      )
      .$if(tag !== undefined, (query) => query.where(hasTag(db, tag ?? '')))
      .orderBy('name', isBack ? 'desc' : 'asc')
      .orderBy('id', isBack ? 'desc' : 'asc')
      .limit(limit + 1)
      .execute(),
  );
  return rows.map(({ id }) => id);
}

/** A cron that a search for words has found. */
export interface FoundCron {
  id: string;
  name: string;
  isActive: boolean;
}

/**
 * Finds crons with every word in the name, the URL or the id. The order is by similarity: names equal to the words as
 * typed, then names that begin with them, then names that contain them. So a limit cuts off the least similar ones.
 */
export async function findCrons(
  db: Database,
  teamId: string,
  words: readonly string[],
  limit: number,
): Promise<FoundCron[]> {
  const typed = sql`lower(${words.join(' ')})`;
  const name = sql`lower(cast(name as text))`;
  const distance = sql<number>`case when ${name} = ${typed} then 0
    when substr(${name}, 1, length(${typed})) = ${typed} then 1
    when ${db.dialect.contains(name, typed)} then 2 else 3 end`;
  const rows = await db.read((reader) =>
    reader
      .selectFrom('crons')
      .select(['id', 'name', 'is_active'])
      .where('team_id', '=', teamId)
      .where((eb) => eb.and(words.map((word) => containsText(db, word))))
      .orderBy(distance)
      .orderBy('name')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  return rows.map((row) => ({ id: row.id, name: row.name, isActive: row.is_active === 1 }));
}

/**
 * The condition that the name, the URL or the id contains a text. Only ASCII letters match in either case, since the
 * two databases fold other letters differently.
 */
function containsText({ dialect }: Database, text: string): RawBuilder<boolean> {
  const contains = (column: string) => {
    const value = sql`cast(${sql.ref(column)} as text)`;
    return sql`(${dialect.contains(value, sql`${text}`)}
      or ${dialect.contains(sql`lower(${value})`, sql`lower(${text})`)})`;
  };
  return sql<boolean>`(${contains('name')} or ${contains('url')} or ${contains('id')})`;
}

/** The condition that the last finished run failed; a run under way is ignored. One index step. */
const lastRunFailed = sql<boolean>`coalesce((select e.status from ended_executions e where e.cron_id = crons.id
  order by e.id desc limit 1), 'none') = 'failed'`;

/** The condition that a cron has a tag. It is checked row by row over the team's crons, as a text is. */
export function hasTag({ dialect }: Database, tag: string): RawBuilder<boolean> {
  return dialect.contains(sql.ref('tags'), sql`${tagInList(tag)}`);
}

function isBeyond(eb: ExpressionBuilder<Tables, 'crons'>, { name, id }: CronKey, isBack: boolean) {
  const beyond = isBack ? '<' : '>';
  return eb.or([eb('name', beyond, name), eb.and([eb('name', '=', name), eb('id', beyond, id)])]);
}

/** An ended execution of a cron, for durations. */
export interface EndedRun {
  completedAt: number;
  durationMs: number;
  status: 'success' | 'failed';
}

/** The most runs of one sample. */
export const MOST_SAMPLED = 10_000;

/** The newest executions of a cron that ended within a time, newest end first, `MOST_SAMPLED` at most. */
export async function sampleRuns(
  db: Database,
  teamId: string,
  cronId: string,
  { firstId, from, to }: { firstId: string; from: number; to: number },
): Promise<EndedRun[]> {
  const rows = await db.read((reader) =>
    reader
      .selectFrom('ended_executions')
      .select(['completed_at', 'duration_ms', 'status'])
      .where('cron_id', '=', cronId)
      .where('team_id', '=', teamId)
      .where('id', '>=', firstId)
      .where('completed_at', '>=', from)
      .where('completed_at', '<', to)
      .orderBy('id', 'desc')
      .limit(MOST_SAMPLED)
      .execute(),
  );
  return rows.flatMap(({ completed_at, duration_ms, status }) =>
    duration_ms === null ? [] : [{ completedAt: completed_at, durationMs: duration_ms, status }],
  );
}

/** How many executions a cron has, up to a number. */
export async function countExecutions(
  db: Database,
  teamId: string,
  cronId: string,
  most: number,
): Promise<{ unfinished: number; finished: number }> {
  const count = async (table: 'executions' | 'ended_executions') => {
    const row = await db.read((reader) =>
      reader
        .selectFrom((eb) =>
          eb
            .selectFrom(table)
            .select('id')
            .where('team_id', '=', teamId)
            .where('cron_id', '=', cronId)
            .limit(most)
            .as('runs'),
        )
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    );
    return row.count;
  };
  const unfinished = await count('executions');
  return { unfinished, finished: Math.min(most - unfinished, await count('ended_executions')) };
}
