import type { Row } from '../tables/tables.ts';
import type { Database } from '../database/database.ts';
import { IDS, packIds } from '../database/dialect.ts';
import { pageStatement } from '../database/prepared.ts';
import { sql } from '../database/sql.ts';
import { IS_PAUSED } from '../runs/due-jobs.ts';
import { listQueuesInPausingWindows } from './backlog.ts';
import { add, addMissing, all, atLeast, below, first, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** All looks within one such step count as one. */
export const LOOK_EVERY_MS = 300_000;
const MOST_DEEP = 100_000;
/** If more queues have due jobs, those with the longest wait are counted. */
const MOST_QUEUES = 1_000;
const AT_ONCE = 20;

interface DueQueue {
  team_id: string;
  queue_id: string;
  is_paused: 0 | 1;
  due_at: number;
}

/** One index step per queue. */
const findDue = (now: number) => sql<DueQueue>`
  select * from (
    select q.team_id, q.id as queue_id, ${sql.raw(IS_PAUSED)} as is_paused, (
      select j.scheduled_at from jobs j
      where j.queue_id = q.id and j.status = 'pending' and j.scheduled_at <= ${now}
      order by j.scheduled_at, j.id limit 1) as due_at
    from queues q cross join teams t where t.id = q.team_id) as heads
  where due_at is not null order by due_at limit ${MOST_QUEUES}`;

/** An index range per queue. $1 queues, $2 now */
const countDue = pageStatement<{ queue_id: string; waiting: number }>(
  'count-due-jobs',
  (dialect) => `
  select given.id as queue_id, (select count(*) from (
    select 1 from jobs j where j.queue_id = given.id and j.status = 'pending'
      and j.scheduled_at <= ${dialect.$(2)} order by j.scheduled_at limit ${MOST_DEEP}) as due) as waiting
  from ${dialect.rows(IDS, 1)}`,
);

export interface Silence {
  at: number;
  nextAt: number | null;
}

export interface Depth {
  at: number;
  waiting: number;
  /** The wait of the earliest, in milliseconds. */
  oldestMs: number;
}

/** Counted every few minutes by one node: this needs no bookkeeping per job. */
export const depths = {
  async look({ main, searches }: Context, now: number): Promise<void> {
    const at = now - (now % LOOK_EVERY_MS);
    if (await one(main, 'depth_looks', { at }, ['at'])) return;
    const due = await searches.ask(findDue(now));
    const counts = await count(searches, due, now);
    const queues = due.map((queue) => {
      const waiting = counts.get(queue.queue_id) ?? 0;
      const oldest_ms = Math.max(0, now - queue.due_at);
      return { team_id: queue.team_id, source_id: queue.queue_id, at, waiting, oldest_ms };
    });
    const paused = await listQueuesInPausingWindows(searches, now);
    for (const { queue_id, is_paused } of due) if (is_paused === 1) paused.add(queue_id);
    const rows = [...queues, ...sumUp(queues.filter(({ source_id }) => !paused.has(source_id)))];
    await main.transact(async (trx) => {
      // Only the first look within a step is kept, as a whole.
      const isFirst = (await addMissing(trx, 'depth_looks', { at })) === 1;
      if (isFirst) await add(trx, 'queue_depths', rows);
    });
  },

  /**
   * @param sourceId a queue's id, or the team's for the sum of its queues that aren't paused
   * @returns all times, and the depths when something waited
   */
  async read(
    { main }: Context,
    teamId: string,
    sourceId: string,
    from: number,
  ): Promise<{ looks: number[]; depths: Depth[] }> {
    const since = { at: atLeast(from) };
    const order = ['at'] as const;
    const looks = await all(main, 'depth_looks', since, { order });
    const key = { team_id: teamId, source_id: sourceId, ...since };
    const depths = await all(main, 'queue_depths', key, { order });
    return {
      looks: looks.map(({ at }) => at),
      depths: depths.map(({ at, waiting, oldest_ms }) => ({ at, waiting, oldestMs: oldest_ms })),
    };
  },

  /**
   * Looks followed by a long gap, and the last look. Every process with an engine looks.
   * @param time `to`: later looks don't count, such as those of a clock that was ahead
   * @returns the earliest first; the last one is the last look
   */
  async readSilences(
    { main }: Context,
    { from, to }: { from: number; to: number },
    longerThanMs: number,
  ): Promise<Silence[]> {
    return main.ask(sql<Silence>`
      select at, next_at as "nextAt" from (
        select at, lead(at) over (order by at) as next_at from depth_looks
        where at <= ${to} and at >= coalesce(
          (select max(at) from depth_looks where at <= ${from}), ${from})) as looks
      where next_at is null or next_at - at > ${longerThanMs} order by at`);
  },

  /** The service ran then; null for never. */
  async lastLookBefore({ main }: Context, at: number): Promise<number | null> {
    const found = await first(main, 'depth_looks', { at: below(at) }, { order: ['at desc'] });
    return found?.at ?? null;
  },
};

async function count(
  db: Database,
  due: readonly DueQueue[],
  now: number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let n = 0; n < due.length; n += AT_ONCE) {
    const some = due.slice(n, n + AT_ONCE).map(({ queue_id }) => queue_id);
    const rows = await db.read(countDue, [packIds(some), now]);
    for (const { queue_id, waiting } of rows) counts.set(queue_id, waiting);
  }
  return counts;
}

function sumUp(queues: readonly Row<'queue_depths'>[]): Row<'queue_depths'>[] {
  return [...Map.groupBy(queues, ({ team_id }) => team_id)].map(([team_id, own]) => {
    const waiting = own.reduce((sum, each) => sum + each.waiting, 0);
    const oldest_ms = Math.max(...own.map((each) => each.oldest_ms));
    return { team_id, source_id: team_id, at: own[0]?.at ?? 0, waiting, oldest_ms };
  });
}
