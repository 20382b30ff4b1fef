import type { RunSearch } from '#domain/run-search';
import { sql } from 'kysely';
import { faultOfMessage } from '#domain/connection-faults';
import { readTrace } from '#domain/run-trace';
import type { HttpMethod } from '#domain/exchange';
import type { Database } from '../database/database.ts';
import type { EndedExecutionsTable } from '../database/schema.ts';
import { SMALL_EXECUTION_COLUMNS } from '../runs/run-tables.ts';
import { beginsWith, outcomeConditions } from './pick-jobs.ts';
import type { FoundRun } from './run-list.ts';
import { isOfHost } from './search.ts';

type Row = Omit<EndedExecutionsTable, 'body' | 'total_bytes'> & {
  cron_name: string;
  cron_method: HttpMethod;
  cron_url: string;
};

const COLUMNS = [...SMALL_EXECUTION_COLUMNS, 'trace'].map((name) => `executions.${name}`);

/** Picks from some ended executions of a team those that match a search, in no order. */
export async function pickExecutions(
  db: Database,
  teamId: string,
  ids: readonly string[],
  search: RunSearch,
): Promise<FoundRun[]> {
  if (ids.length === 0) return [];
  const conditions = [
    sql`executions.team_id = ${teamId}`,
    db.dialect.isAmong('executions.id', ids),
    ...outcomeConditions('executions', search),
    ...requestConditions(db, search),
  ];
  const { rows } = await db.read((reader) =>
    sql<Row>`select ${sql.raw(COLUMNS.join(', '))}, crons.name as cron_name,
        crons.method as cron_method, crons.url as cron_url
      from ended_executions as executions cross join crons
      where crons.team_id = executions.team_id and crons.id = executions.cron_id
        and ${sql.join(conditions, sql` and `)}`.execute(reader),
  );
  return rows.map(runOfExecution).filter((run) => isOfRequest(run, search));
}

/**
 * Conditions on an execution's request. It is stored inside the trace, so SQL finds only candidates; `isOfRequest`
 * checks them.
 */
function requestConditions(db: Database, { reason, urlPrefix, host, text }: RunSearch) {
  const { holds, holdsBytes } = db.dialect;
  const inTrace = (words: string) => holds(sql`executions.trace`, sql`${words}`);
  const hasHost = (column: string) =>
    holds(sql`lower(${sql.ref(column)})`, sql`${`://${host ?? ''}`}`);
  return [
    ...(reason === undefined
      ? []
      : [
          sql`executions.status = 'failed'`,
          sql`coalesce(executions.reason, 'unknown') = ${reason}`,
        ]),
    ...(urlPrefix === undefined
      ? []
      : [
          sql`(${inTrace(JSON.stringify(urlPrefix).slice(1, -1))}
            or ${beginsWith('crons.url', urlPrefix)})`,
        ]),
    ...(host === undefined
      ? []
      : [sql`(${hasHost('executions.trace')} or ${hasHost('crons.url')})`]),
    ...(text === undefined ? [] : [holdsBytes(sql`executions.body`, text)]),
  ];
}

function isOfRequest({ url }: FoundRun, { urlPrefix, host }: RunSearch): boolean {
  return (
    (urlPrefix === undefined || url.startsWith(urlPrefix)) &&
    (host === undefined || isOfHost(url, host))
  );
}

function runOfExecution(row: Row): FoundRun {
  const sent = readTrace(row.trace)?.sent;
  return {
    kind: 'execution',
    id: row.id,
    at: row.completed_at,
    sourceId: row.cron_id,
    sourceName: row.cron_name,
    method: sent?.method ?? row.cron_method,
    url: sent?.url ?? row.cron_url,
    status: row.status,
    attemptNumber: null,
    scheduledAt: row.scheduled_for,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    responseStatus: row.response_status,
    reason: row.reason,
    fault: faultOfMessage(row.error_message),
    errorMessage: row.error_message,
    retriedAs: null,
  };
}
