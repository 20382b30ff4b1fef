import type { Trx } from '../database/database.ts';
import type { Dialect, Fields, RowOf } from '../database/dialect.ts';
import { packRecords, type RecordOf } from '../database/records.ts';
import { preparedStatement } from '../database/prepared.ts';

export const COPY = {
  team_id: 'id',
  from_id: 'id',
  id: 'id',
  original_id: 'id',
  attempt_number: 'int',
  created_at: 'bigint',
  scheduled_at: 'bigint',
  /** Null: that of the copied job. */
  actor: 'text',
} as const satisfies Fields;

/** An automatic retry, or a person's Retry. */
export type JobCopy = RecordOf<RowOf<typeof COPY>>;

export function insertCopies(dialect: Dialect, parameter: number, source: string): string {
  return `
  insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
    callback_url, created_at, scheduled_at, actor, sealed_headers, payload)
  select team_id, id, original_id, attempt_number, queue_id, 'pending', method, url,
    callback_url, created_at, scheduled_at, actor, sealed_headers, payload
  from (
    select j.team_id, given.id, given.original_id, given.attempt_number, j.queue_id, j.method, j.url,
      j.callback_url, given.created_at, given.scheduled_at,
      coalesce(given.actor, j.actor) as actor, j.sealed_headers, j.payload
    from ${dialect.rows(COPY, parameter)} cross join ${source} j
    where j.team_id = given.team_id and j.id = given.from_id
  ) as copies`;
}

export const copyLiveJobs = preparedStatement<never>('copy-live-jobs', (dialect) =>
  insertCopies(dialect, 1, 'jobs'),
);

const copyEndedJobs = preparedStatement<never>('copy-ended-jobs', (dialect) =>
  insertCopies(dialect, 1, 'ended_jobs'),
);

export async function copyJobs(trx: Trx, copies: readonly JobCopy[]): Promise<void> {
  if (copies.length === 0) return;
  await trx.rows(copyEndedJobs, [packRecords(COPY, copies)]);
}
