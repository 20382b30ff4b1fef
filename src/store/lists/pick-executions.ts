import { faultOfMessage } from '#domain/http/connection-faults';
import { readTrace } from '#domain/runs/run-trace';
import type { HttpMethod } from '#domain/http/exchange';
import { sql } from '../database/sql.ts';
import type { Database } from '../database/database.ts';
import { everyExecution, type StoredExecutionRow } from '../runs/every-run.ts';
import { runRecord } from '../runs/run-records.ts';
import { beginsWith, hasWords, outcomeConditions } from './pick-jobs.ts';
import { matcherOf } from './ranges.ts';
import type { AnsweredRun, Search } from './search.ts';
import { allOf } from './sources.ts';

type Row = StoredExecutionRow & {
  trace: string | null;
  cron_name: string;
  cron_method: HttpMethod;
  cron_url: string;
  body_start?: Uint8Array | null;
  kept_bytes?: number | null;
};

export async function pickExecutions(
  db: Database,
  teamId: string,
  ids: readonly string[],
  search: Search,
  { isHistory, bodyBytes }: { isHistory: boolean; bodyBytes: number | undefined },
): Promise<AnsweredRun[]> {
  if (ids.length === 0) return [];
  const { reason, text, words } = search;
  const where = allOf(
    sql`executions.team_id = ${teamId}`,
    db.dialect.isAmong('executions.id', ids),
    ...outcomeConditions('executions', search),
    reason &&
      sql`executions.status = 'failed' and coalesce(executions.reason, 'unknown') = ${reason}`,
    text && db.dialect.containsBytes(sql`executions.body`, text),
    words && hasWords(db, 'ended_executions', words),
  );
  const choice = { where, isOfEnded: !isHistory };
  const whole = allOf(
    sql`crons.team_id = runs.team_id and crons.id = runs.cron_id`,
    ...requestConditions(db, search),
  );
  const rows = await db.ask(sql<Row>`
    select runs.*, crons.name as cron_name, crons.method as cron_method,
        crons.url as cron_url
      from ${everyExecution(choice, bodyBytes)} as runs cross join crons
      where ${whole}`);
  const runs = rows.map((row) => runOfExecution(row, isHistory));
  return isHistory ? runs : runs.filter(matcherOf(search));
}

/** The request is inside the trace, so SQL finds only candidates; `matcherOf` checks them. */
function requestConditions(db: Database, { urlPrefix, host }: Search) {
  const { contains } = db.dialect;
  const inTrace = (words: string) => contains(sql`runs.trace`, sql`${words}`);
  const hasHost = (column: string) =>
    contains(sql`lower(${sql.raw(column)})`, sql`${`://${host ?? ''}`}`);
  return [
    urlPrefix &&
      sql`(${inTrace(JSON.stringify(urlPrefix).slice(1, -1))} or ${beginsWith('crons.url', urlPrefix)})`,
    host && sql`(${hasHost('runs.trace')} or ${hasHost('crons.url')})`,
  ] as const;
}

function runOfExecution(row: Row, isHistory: boolean): AnsweredRun {
  const sent = readTrace(row.trace)?.sent;
  const { teamId: _, ...run } = runRecord(row);
  return {
    kind: 'execution',
    ...run,
    at: isHistory ? row.created_at : (row.completed_at ?? row.created_at),
    sourceId: row.cron_id,
    sourceName: row.cron_name,
    method: sent?.method ?? row.cron_method,
    url: sent?.url ?? row.cron_url,
    attemptNumber: null,
    scheduledAt: row.scheduled_for,
    fault: faultOfMessage(row.error_message),
    retriedAs: null,
    ...(row.body_start && {
      response: { bodyStart: row.body_start, keptBytes: row.kept_bytes ?? 0 },
    }),
  };
}
