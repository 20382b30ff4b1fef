import type { Trx } from '../database/database.ts';
import type { Dialect, Fields } from '../database/dialect.ts';
import { change } from '../database/rows.ts';

/**
 * Concurrency slots of a queue: the jobs that ran at its last claim. A claim locks the queue, looks up each listed job,
 * drops ended ones and adds its own. The list only names jobs to check, so it can't be wrong.
 *
 * Each list is a new row with a higher number. A count in the index of running jobs, or one updated row, would pass all
 * dead entries since the oldest snapshot. So the row also has the time until which a rate is spent.
 */
export const TAKEN = {
  team_id: 'id',
  queue_id: 'id',
  number: 'bigint',
  job_ids: 'ids',
  recount_until: 'bigint',
  rate_spent_until: 'bigint',
} as const satisfies Fields;

/**
 * Until then all running jobs are counted: claims from before the limit neither lock the queue nor write a list, and
 * last no longer than this.
 */
export const RECOUNT_MS = 60_000;

/** Null if there is none. */
export const LAST_TAKEN = `left join lateral (
    select number, job_ids, recount_until, rate_spent_until from taken_slots s
    where s.team_id = q.team_id and s.queue_id = q.id order by s.number desc limit 1
  ) last on true`;

/** Ended ones are looked up in a subquery, not joined: see plans.test.ts. $2 now */
export const RUNNING_IDS = `case
    when q.concurrency_limit is null then null
    when last.job_ids is null or last.recount_until > $2 then array(
      select j.id from jobs j where j.queue_id = q.id and j.status = 'processing')
    else array(
      select kept.id from unnest(last.job_ids) as kept(id)
      where (select j.status from jobs j where j.team_id = q.team_id and j.id = kept.id) = 'processing')
  end`;

/** Replaces the lists that were read. $1 `TAKEN`, with the number that was read */
export const KEEP_TAKEN = (dialect: Dialect) => `
  with taken as materialized (
    select given.* from ${dialect.rows(TAKEN, 1)}
  ), kept as (
    insert into taken_slots (team_id, queue_id, number, job_ids, recount_until, rate_spent_until)
    select team_id, queue_id, number + 1, job_ids, recount_until, rate_spent_until from taken
  )
  delete from taken_slots s using taken
  where s.team_id = taken.team_id and s.queue_id = taken.queue_id and s.number = taken.number`;

/**
 * Jobs that began without a limit are in no list. The spent time of its rate stays. Called in the transaction that
 * changes the limit. SQLite has no lists.
 */
export async function forgetTaken(trx: Trx, teamId: string, queueId: string): Promise<void> {
  const key = { team_id: teamId, queue_id: queueId };
  await change(trx, 'taken_slots', key, { job_ids: null, recount_until: 0 });
}
