import { pageStatement, type PreparedStatement } from '../database/prepared.ts';
import { IS_PAUSED } from '../runs/due-jobs.ts';
import type { Database } from '../database/database.ts';
import type { Context } from '../database/context.ts';

/** `paused`: due in a paused queue; `due`: waits only for a slot. */
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
    const waiting = await searches.read(countWaiting, [now]);
    const [running] = await searches.read(countRunning, []);
    const [active, paused] = [0, 1].map((isPaused) =>
      waiting.find(({ is_paused }) => is_paused === isPaused),
    );
    const scheduled = waiting.reduce((sum, each) => sum + each.waiting - each.due, 0);
    return {
      due: { count: active?.due ?? 0, oldestMs: ageOf(active?.oldest, now) },
      paused: { count: paused?.due ?? 0, oldestMs: ageOf(paused?.oldest, now) },
      scheduled: { count: scheduled, oldestMs: 0 },
      processing: { count: running?.running ?? 0, oldestMs: ageOf(running?.oldest, now) },
    };
  },

  /** The cost grows with their number. */
  async readOutbox({ searches }: Context, now: number): Promise<Outbox> {
    return {
      callbacks: await measure(searches, countCallbacks, now),
      notifications: await measure(searches, countNotifications, now),
    };
  },
};

async function measure(
  db: Database,
  statement: PreparedStatement<{ count: number; oldest: number | null }>,
  now: number,
): Promise<InState> {
  const [row] = await db.read(statement, []);
  return { count: row?.count ?? 0, oldestMs: ageOf(row?.oldest, now) };
}

function ageOf(since: number | null | undefined, now: number): number {
  return Math.max(0, now - (since ?? now));
}

/** Groups by queue first, so each queue is looked up once. $1 now */
const countWaiting = pageStatement<{
  is_paused: 0 | 1;
  waiting: number;
  due: number;
  oldest: number;
}>(
  'count-waiting-jobs',
  ({ $ }) => `
  select ${IS_PAUSED} as is_paused, cast(sum(heads.waiting) as bigint) as waiting,
    cast(sum(heads.due) as bigint) as due, min(heads.oldest) as oldest
  from (select queue_id, count(*) as waiting, min(scheduled_at) as oldest,
      sum(case when scheduled_at <= ${$(1)} then 1 else 0 end) as due
    from jobs where status = 'pending' group by queue_id) as heads
  join queues q on q.id = heads.queue_id join teams t on t.id = q.team_id
  group by ${IS_PAUSED}`,
);

const countRunning = pageStatement<{ running: number; oldest: number | null }>(
  'count-all-running-jobs',
  () => `
  select count(*) as running, min(started_at) as oldest from jobs where status = 'processing'`,
);

const countAll = (table: 'callbacks' | 'notifications', since: string, where = '') =>
  pageStatement<{ count: number; oldest: number | null }>(
    `count-${table}`,
    () => `select count(*) as count, min(${since}) as oldest from ${table} ${where}`,
  );
const countCallbacks = countAll('callbacks', 'created_at', 'where node_id is null');
const countNotifications = countAll('notifications', 'first_tried_at');
