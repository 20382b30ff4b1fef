import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { type ExecutionRecord, executionRecord } from '../crons.ts';

export interface ExecutionRow extends ExecutionRecord {
  /** As many bytes of the response's beginning as were asked for; null without a response. */
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

/** Runs looked at for a page of one status, at most: a cron that never fails has no failures to find. */
const MOST_LOOKED_AT = 20_000;

export interface HistoryPage {
  /** Newest first. */
  executions: ExecutionRow[];
  hasMore: boolean;
  /** The last id looked at, where the search for a status stopped early. */
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
  const rows = await db.read((reader) =>
    reader
      .selectFrom((eb) =>
        eb
          .selectFrom('executions')
          .selectAll()
          .where('team_id', '=', teamId)
          .where('cron_id', '=', cronId)
          .$if(cursor !== undefined, (query) =>
            query.where('id', isBack ? '>' : '<', cursor?.id ?? ''),
          )
          .orderBy('id', isBack ? 'asc' : 'desc')
          .limit(looked)
          .as('recent'),
      )
      .leftJoin('responses', (join) =>
        join
          .onRef('responses.team_id', '=', 'recent.team_id')
          .onRef('responses.run_id', '=', 'recent.id'),
      )
      .selectAll('recent')
      .select([
        'responses.total_bytes',
        sql<Uint8Array | null>`substr(responses.body, 1, ${sql.lit(asked.bodyBytes)})`.as(
          'body_start',
        ),
        sql<number | null>`length(responses.body)`.as('kept_bytes'),
      ])
      .$if(status !== undefined, (query) => query.where('recent.status', '=', status ?? 'failed'))
      .orderBy('recent.id', isBack ? 'asc' : 'desc')
      .limit(limit + 1)
      .execute(),
  );
  const executions = rows.slice(0, limit).map((row): ExecutionRow =>
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

/** The id at which a search for a status stops; null where it comes to the end of the history before. */
async function findEnd(
  db: Database,
  teamId: string,
  cronId: string,
  { cursor }: HistoryAsked,
): Promise<string | null> {
  const isBack = cursor?.way === 'previous';
  const row = await db.read((reader) =>
    reader
      .selectFrom('executions')
      .select('id')
      .where('team_id', '=', teamId)
      .where('cron_id', '=', cronId)
      .$if(cursor !== undefined, (query) => query.where('id', isBack ? '>' : '<', cursor?.id ?? ''))
      .orderBy('id', isBack ? 'asc' : 'desc')
      .offset(MOST_LOOKED_AT - 1)
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.id ?? null;
}
