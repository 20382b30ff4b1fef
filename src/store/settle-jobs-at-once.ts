import { CALLBACK, callbackRow } from './callbacks.ts';
import { COPY, copyRow } from './copy-jobs.ts';
import type { Database } from './database.ts';
import { type Fields, packRows } from './dialect.ts';
import { bindHot, hotStatement } from './hot.ts';
import { copiesOf, ENDED, endedRow, type JobSettlement } from './settlement.ts';

const ENDED_WITH_RESPONSE = {
  ...ENDED,
  total_bytes: 'bigint',
  trace: 'text',
  body: 'bytes',
} as const satisfies Fields;

/**
 * The whole settlement as one statement, which is a transaction by itself (see `claimAtOnceStatement` for
 * why). Everything hangs on the rows that `ended` could change: those still under this node's claim.
 *
 * $1 ends with responses, $2 node, $3 next attempts, $4 callbacks
 */
const settleAtOnceStatement = hotStatement<{ id: string }>(
  'settle-jobs-at-once',
  (dialect) => `
  with ends as materialized (
    select given.* from ${dialect.rows(ENDED_WITH_RESPONSE, 1)} ${dialect.briefly}
  ), ended as (
    update jobs set status = ends.status, claimed_by = null, completed_at = ends.completed_at,
      response_status = ends.response_status, reason = ends.reason,
      error_message = ends.error_message, duration_ms = ends.duration_ms
    from ends
    where jobs.team_id = ends.team_id and jobs.id = ends.id
      and ${dialect.unindexed('jobs.status')} = 'processing' and jobs.claimed_by = $2
    returning jobs.team_id, jobs.id
  ), answered as (
    insert into responses (team_id, run_id, total_bytes, trace, body)
    select ends.team_id, ends.id, ends.total_bytes, ends.trace, decode(ends.body, 'hex')
    from ended join ends using (id) where ends.body is not null
  ), retried as (
    insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
      callback_url, created_at, scheduled_at, sealed_headers, payload)
    select j.team_id, given.id, given.original_id, given.attempt_number, j.queue_id, 'pending',
      j.method, j.url, j.callback_url, given.created_at, given.scheduled_at, j.sealed_headers,
      j.payload
    from ${dialect.rows(COPY, 3)} join ended on ended.id = given.from_id
    join jobs j on j.team_id = given.team_id and j.id = given.from_id
  ), told as (
    insert into callbacks (team_id, id, run_id, url, body, created_at)
    select given.team_id, given.id, given.run_id, given.url, given.body, given.created_at
    from ${dialect.rows(CALLBACK, 4)} join ended on ended.id = given.run_id
  ), counted as (
    insert into outcome_hours (team_id, hour, outcome, runs)
    select ended.team_id, ends.completed_at - ends.completed_at % 3600000,
      case ends.status when 'dead_lettered' then 'failed' else ends.status end, count(*)
    from ended join ends using (id) group by 1, 2, 3 order by 1, 2, 3
    on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs
  )
  select id from ended`,
);

/** Ends attempts on Postgres with one statement; only for settlements that raise no alert. */
export async function settleAtOnce(
  db: Database,
  nodeId: string,
  settlements: readonly JobSettlement[],
): Promise<Set<string>> {
  const ends = settlements.map((settlement) => ({
    ...endedRow(settlement.job, settlement.status, settlement.end),
    total_bytes: settlement.response?.totalBytes ?? null,
    trace: settlement.response?.trace ?? null,
    body: settlement.response?.body ?? null,
  }));
  const callbacks = settlements.flatMap(({ callback }) => callback ?? []);
  const ended = await db.runAlone(
    bindHot(db.dialect, settleAtOnceStatement, [
      packRows(ENDED_WITH_RESPONSE, ends),
      nodeId,
      packRows(COPY, copiesOf(settlements).map(copyRow)),
      packRows(CALLBACK, callbacks.map(callbackRow)),
    ]),
  );
  return new Set(ended.map(({ id }) => id));
}
