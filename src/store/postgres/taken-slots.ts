import { CompiledQuery } from 'kysely';
import type { Clock } from '#domain/clock';
import type { Database, Trx } from '../database/database.ts';
import { type Fields, packRows, type RowOf } from '../database/dialect.ts';
import { preparedStatement, bindPrepared } from '../database/prepared.ts';

/**
 * The concurrency slots that are taken of a queue with a limit: who ran when the queue was last
 * claimed from. A claim, which holds the queue's row, looks each of them up by its key, takes out who has ended,
 * and writes the list anew with what it has claimed. So nothing can drift: it is the jobs that say what runs, and
 * the list only says where to look.
 *
 * Each list is a new row with a higher number, found from the top. A count in the index of running jobs, or one
 * row that is changed in place, would go through all that was there since the oldest snapshot of the server.
 */
export const TAKEN = {
  team_id: 'id',
  queue_id: 'id',
  number: 'bigint',
  job_ids: 'ids',
  recount_until: 'bigint',
} as const satisfies Fields;

export type TakenSlots = RowOf<typeof TAKEN> & { queue_id: string; job_ids: readonly string[] };

/**
 * How long all that runs is counted after a limit was set: claims that began before it take no lock of the queue
 * and write nothing down. None of their statements lasts longer.
 */
export const RECOUNT_MS = 60_000;

/** From the list of a queue `q`, null where there is none: parts of a `select` and a `from` clause. $2 now, $3 whether to recount. */
export const LAST_TAKEN = `left join lateral (
    select number, job_ids, recount_until from taken_slots s
    where s.team_id = q.team_id and s.queue_id = q.id order by s.number desc limit 1
  ) last on true`;

/** The ids of the jobs that run in a queue `q` with a limit. What ended is looked up, and not joined: see plans.test.ts. */
export const RUNNING_IDS = `case
    when q.concurrency_limit is null then null
    when last.job_ids is null or last.recount_until > $2 or $3 then array(
      select j.id from jobs j where j.queue_id = q.id and j.status = 'processing')
    else array(
      select kept.id from unnest(last.job_ids) as kept(id)
      where (select j.status from jobs j where j.team_id = q.team_id and j.id = kept.id) = 'processing')
  end`;

/** Parts of the claim that write the lists anew, from those of `claimed` jobs. `given`: lists as they were read */
export const KEEP_TAKEN = (given: string) => `
  taken as materialized (
    select given.* from ${given} where exists (select 1 from claimed c where c.queue_id = given.queue_id)
  ), kept as (
    insert into taken_slots (team_id, queue_id, number, job_ids, recount_until)
    select team_id, queue_id, number + 1, job_ids || array(
      select c.id from claimed c where c.queue_id = taken.queue_id), recount_until
    from taken
  ), outdated as (
    delete from taken_slots s using taken
    where s.team_id = taken.team_id and s.queue_id = taken.queue_id and s.number = taken.number
  )`;

export function packTaken(taken: readonly TakenSlots[]): string {
  return packRows(TAKEN, taken);
}

/** The limit of a queue has changed: what began without one is in no list. In the transaction that changes it. */
export async function forgetTaken(trx: Trx, teamId: string, queueId: string): Promise<void> {
  const statement = `
    with last as materialized (
      select coalesce(max(number), 0) as number from taken_slots where team_id = $1 and queue_id = $2
    ), outdated as (
      delete from taken_slots where team_id = $1 and queue_id = $2
        and number <= (select number from last)
    )
    insert into taken_slots (team_id, queue_id, number, job_ids, recount_until)
    select $1, $2, number + 1, null, 0 from last`;
  await trx.executeQuery(CompiledQuery.raw(statement, [teamId, queueId]));
}

const LOOK_EVERY_MS = 5_000;

const findStrangers = preparedStatement<{ id: string }>(
  'find-strangers',
  () => 'select id from nodes where keeps_slots = 0 limit 1',
);

/** Whether nodes of an older version run beside this one: they claim without writing it down. */
export class Strangers {
  readonly #db: Database;
  readonly #clock: Clock;
  #areThere = true;
  #lookAtMs = -Infinity;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async areThere(): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#lookAtMs) return this.#areThere;
    const found = await this.#db.autocommit(bindPrepared(this.#db.dialect, findStrangers, []));
    this.#areThere = found.length > 0;
    this.#lookAtMs = nowMs + LOOK_EVERY_MS;
    return this.#areThere;
  }
}
