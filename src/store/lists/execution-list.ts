import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type ExecutionRecord, executionRecord } from '../crons/execution-records.ts';
import { everyExecution } from '../runs/every-run.ts';

export interface FoundExecution extends ExecutionRecord {
  /** The first bytes of the response, as many as were asked for; null without a response. */
  bodyStart: Uint8Array | null;
  keptBytes: number;
  totalBytes: number;
}

export interface HistoryAsked {
  status?: 'success' | 'failed' | undefined;
  cursor?: { way: 'next' | 'previous'; id: string } | undefined;
  limit: number;
  bodyBytes: number;
}

/** The most runs that are examined for a page of one status: a cron that never fails has no failures to find. */
const MOST_LOOKED_AT = 20_000;

export interface HistoryPage {
  /** Newest first. */
  executions: FoundExecution[];
  hasMore: boolean;
  /** The last examined id, if the search for a status stopped early. */
  stoppedAt: string | null;
}

/** A page of a cron's executions in the order of their ids, newest first. */
export async function listHistory(
  db: Database,
  teamId: string,
  cronId: string,
  asked: HistoryAsked,
): Promise<HistoryPage> {
  const { cursor, limit, status } = asked;
  const isBack = cursor?.way === 'previous';
  const looked = status === undefined ? limit + 1 : MOST_LOOKED_AT;
  const stoppedAt = status === undefined ? null : await findEnd(db, teamId, cronId, asked);
  const order = sql.raw(isBack ? 'asc' : 'desc');
  const choice = {
    where: whichRuns(teamId, cronId, cursor),
    tail: sql`order by id ${order} limit ${looked}`,
    isOfEnded: status !== undefined,
  };
  const rows = await db.read((reader) =>
    everyExecution(reader, choice)
      // Joins bodies only to the rows of the page, not to all examined ones.
      .leftJoin('ended_executions as ended', (join) =>
        join.onRef('ended.team_id', '=', 'runs.team_id').onRef('ended.id', '=', 'runs.id'),
      )
      .selectAll('runs')
      .select([
        'ended.total_bytes',
        sql<Uint8Array | null>`substr(ended.body, 1, ${sql.lit(asked.bodyBytes)})`.as('body_start'),
        sql<number | null>`length(ended.body)`.as('kept_bytes'),
      ])
      .$if(status !== undefined, (query) => query.where('runs.status', '=', status ?? 'failed'))
      .orderBy('runs.id', isBack ? 'asc' : 'desc')
      .limit(limit + 1)
      .execute(),
  );
  const executions = rows.slice(0, limit).map((row): FoundExecution =>
    Object.assign(executionRecord(row), {
      bodyStart: row.body_start,
      keptBytes: row.kept_bytes ?? 0,
      totalBytes: row.total_bytes ?? 0,
    }),
  );
  return {
    executions: isBack ? executions.toReversed() : executions,
    hasMore: rows.length > limit,
    stoppedAt: rows.length > limit ? null : stoppedAt,
  };
}

/** The id at which a search for a status stops; null where it reaches the end of the history first. */
async function findEnd(
  db: Database,
  teamId: string,
  cronId: string,
  { cursor }: HistoryAsked,
): Promise<string | null> {
  const isBack = cursor?.way === 'previous';
  const row = await db.read((reader) =>
    reader
      .selectFrom('ended_executions')
      .select('id')
      .where(whichRuns(teamId, cronId, cursor))
      .orderBy('id', isBack ? 'asc' : 'desc')
      .offset(MOST_LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.id ?? null;
}

function whichRuns(teamId: string, cronId: string, cursor: HistoryAsked['cursor']) {
  const isOfCron = sql<boolean>`team_id = ${teamId} and cron_id = ${cronId}`;
  if (cursor === undefined) return isOfCron;
  const behind = sql.raw(cursor.way === 'previous' ? '>' : '<');
  return sql<boolean>`${isOfCron} and id ${behind} ${cursor.id}`;
}
