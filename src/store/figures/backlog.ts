import { pageStatement } from '../database/prepared.ts';
import { IDS, packIds } from '../database/dialect.ts';
import { findPauseEnd } from '#domain/team/maintenance';
import { sql } from '../database/sql.ts';
import { readPausingWindows } from '../alerts/window-rows.ts';
import { IS_PAUSED } from '../runs/due-jobs.ts';
import type { Database } from '../database/database.ts';
import type { Context } from '../database/context.ts';

/** `paused`: due in a queue that is paused, also by a maintenance window; `due`: waits only for a slot. */
type WaitingState = 'due' | 'paused' | 'scheduled';
type BacklogState = WaitingState | 'processing';

export interface InState {
  count: number;
  /** Since its due time or start; 0 if there is none. */
  oldestMs: number;
}

/** `scheduled` jobs are never late, so their age is always 0. */
export type Backlog = Record<BacklogState, InState>;

export interface Outbox {
  /** Since the end of the run. */
  callbacks: InState;
  /** Notifications, since the first failed try. Both names are values of the metrics' label `of`. */
  notifications: InState;
}

export const backlog = {
  /** The cost grows with the number of waiting and running jobs. */
  async read({ searches }: Context, now: number): Promise<Backlog> {
    const inWindows = await listQueuesInPausingWindows(searches, now);
    const waiting = await searches.read(countWaiting, [now, packIds([...inWindows])]);
    const running = `jobs where status = 'processing'`;
    const [active, paused] = [0, 1].map((isPaused) =>
      waiting.find(({ is_paused }) => is_paused === isPaused),
    );
    const scheduled = waiting.reduce((sum, each) => sum + each.waiting - each.due, 0);
    return {
      due: { count: active?.due ?? 0, oldestMs: ageOf(active?.oldest, now) },
      paused: { count: paused?.due ?? 0, oldestMs: ageOf(paused?.oldest, now) },
      scheduled: { count: scheduled, oldestMs: 0 },
      processing: await measure(searches, 'started_at', running, now),
    };
  },

  /** The cost grows with their number. */
  async readOutbox({ searches }: Context, now: number): Promise<Outbox> {
    return {
      callbacks: await measure(searches, 'created_at', 'callbacks where node_id is null', now),
      notifications: await measure(searches, 'first_tried_at', 'notifications', now),
    };
  },
};

/** @param since the column with the time of each */
async function measure(db: Database, since: string, from: string, now: number): Promise<InState> {
  const [row] = await db.ask(sql<{ count: number; oldest: number | null }>`
    select count(*) as count, min(${sql.raw(since)}) as oldest from ${sql.raw(from)}`);
  return { count: row?.count ?? 0, oldestMs: ageOf(row?.oldest, now) };
}

function ageOf(since: number | null | undefined, now: number): number {
  return Math.max(0, now - (since ?? now));
}

/** Groups by queue first, so each queue is looked up once. $1 now, $2 queues that a window pauses */
const countWaiting = pageStatement<{
  is_paused: 0 | 1;
  waiting: number;
  due: number;
  oldest: number;
}>(
  'count-waiting-jobs',
  ({ $, rows }) => `
  select case when given.id is null then ${IS_PAUSED} else 1 end as is_paused, cast(sum(heads.waiting) as bigint) as waiting,
    cast(sum(heads.due) as bigint) as due, min(heads.oldest) as oldest
  from (select queue_id, count(*) as waiting, min(scheduled_at) as oldest,
      sum(case when scheduled_at <= ${$(1)} then 1 else 0 end) as due
    from jobs where status = 'pending' group by queue_id) as heads
  join queues q on q.id = heads.queue_id join teams t on t.id = q.team_id
  left join ${rows(IDS, 2)} on given.id = q.id
  group by 1`,
);

/** The ids of the queues that maintenance windows pause now. */
export async function listQueuesInPausingWindows(db: Database, now: number): Promise<Set<string>> {
  const queues = await db.ask(sql<{ id: string; pausing_windows: string }>`
    select q.id, t.pausing_windows from teams t join queues q on q.team_id = t.id
    where t.pausing_windows is not null`);
  const paused = queues.filter(({ id, pausing_windows }) => {
    const windows = readPausingWindows(pausing_windows);
    return findPauseEnd(windows, { kind: 'queue', id }, now) !== null;
  });
  return new Set(paused.map(({ id }) => id));
}
