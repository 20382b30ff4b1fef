import { newId } from '#domain/base/ids';
import { formatRate, parseRate, type Rate } from '#domain/team/rate';
import { sql } from '../database/sql.ts';
import type { Trx } from '../database/database.ts';
import type { JobSearch } from '../lists/search.ts';
import type { BoundedCount } from '../database/bounded-count.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Row } from '../tables/tables.ts';
import { lockTeam } from '../database/lock-team.ts';
import { add, all, atMost, below, change, first, not, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export type BulkKind = Row<'bulk_tasks'>['kind'];

const FACTS = ['id', 'kind', 'state', 'done', 'skipped', 'created_at', 'finished_at'] as const;

export interface BulkTask extends RecordOf<Pick<Row<'bulk_tasks'>, (typeof FACTS)[number]>> {
  /** Jobs that arrived after the request aren't touched. */
  search: JobSearch;
  total: BoundedCount;
  /** Of a spread retry, from `createdAt` on. Null: at once. */
  rate: Rate | null;
}

export interface ClaimedTask extends BulkTask {
  teamId: string;
  upToId: string;
  cursor: string | null;
  /** Of the jobs that a retry creates. */
  actor: string | null;
}

function taskOf(row: Row<'bulk_tasks'>): BulkTask {
  return {
    ...toRecord(row, FACTS),
    search: readSearch(row) ?? NOTHING,
    total: { count: row.total, isMore: row.is_total_more === 1 },
    rate: row.rate === null ? null : parseRate(row.rate),
  };
}

/** A damaged search finds nothing. */
const NOTHING: JobSearch = { tab: 'all', statusCode: 'damaged' };

function readSearch({ search }: Pick<Row<'bulk_tasks'>, 'search'>): JobSearch | null {
  try {
    return JSON.parse(search) as JobSearch;
  } catch {
    return null;
  }
}

const MOST_OPEN = 5;
const MOST_LISTED = 20;

/** Newest first. */
const OPEN = {
  // By ids from the index of open tasks; SQLite would otherwise read all tasks of the team.
  where: [sql`id in (select open.id from bulk_tasks open where open.finished_at is null)`],
  order: ['id desc'],
  limit: MOST_OPEN,
} as const;

interface NewTask {
  search: JobSearch;
  upToId?: string | undefined;
  rate?: Rate | null | undefined;
  actor?: string | null;
}

function newRow(
  teamId: string,
  now: number,
  { search, upToId, rate, actor = null }: NewTask,
  columns: Pick<Row<'bulk_tasks'>, 'kind' | 'state' | 'total'> & Partial<Row<'bulk_tasks'>>,
): Row<'bulk_tasks'> {
  const id = newId(now);
  return {
    team_id: teamId,
    id,
    search: JSON.stringify(search),
    // Ids sort by creation time.
    up_to_id: upToId ?? id,
    is_total_more: 0,
    done: 0,
    skipped: 0,
    rate: rate ? formatRate(rate) : null,
    actor,
    cursor: null,
    claimed_by: null,
    claimed_until: 0,
    created_at: now,
    finished_at: null,
    ...columns,
  };
}

/** A retry that was done at once, so its outcome can be shown. */
export async function recordRetry(
  trx: Trx,
  teamId: string,
  {
    done,
    skipped,
    at,
    ...task
  }: Pick<BulkTask, 'search' | 'done' | 'skipped' | 'rate'> & { at: number },
): Promise<void> {
  const ended = { kind: 'retry', state: 'done', total: done + skipped, finished_at: at } as const;
  await add(trx, 'bulk_tasks', newRow(teamId, at, task, { ...ended, done, skipped }));
}

export const bulkTasks = {
  /** Null: too many open tasks. */
  async create(
    { main }: Context,
    teamId: string,
    task: Pick<BulkTask, 'kind' | 'total'> & NewTask,
    now: number,
  ): Promise<BulkTask | null> {
    const { kind, total } = task;
    const size = { total: total.count, is_total_more: total.isMore ? 1 : 0 } as const;
    const row = newRow(teamId, now, task, { kind, state: 'waiting', ...size });
    return main.transact(async (trx) => {
      await lockTeam(trx, teamId);
      const open = await all(trx, 'bulk_tasks', { team_id: teamId }, OPEN);
      if (open.length === MOST_OPEN) return null;
      await add(trx, 'bulk_tasks', row);
      return taskOf(row);
    });
  },

  /** Open ones first, then newest first. */
  async list({ main }: Context, teamId: string): Promise<BulkTask[]> {
    const rows = await main.read(async (db) => {
      const ended = { team_id: teamId, finished_at: not(null) };
      const newest = { order: ['id desc'], limit: MOST_LISTED } as const;
      // Two queries, each a short range of an index.
      const open = await all(db, 'bulk_tasks', { team_id: teamId }, OPEN);
      return [...open, ...(await all(db, 'bulk_tasks', ended, newest))];
    });
    return rows.map(taskOf);
  },

  /** False: no such task, or it has ended. */
  async cancel({ main }: Context, teamId: string, taskId: string, now: number): Promise<boolean> {
    const open = { team_id: teamId, id: taskId, finished_at: null };
    const changes = { state: 'cancelled', finished_at: now } as const;
    return (await change(main, 'bulk_tasks', open, changes)) === 1;
  },

  /** For a limited time. A damaged task ends at once. */
  async claim(
    context: Context,
    workerId: string,
    now: number,
    forMs: number,
  ): Promise<ClaimedTask | null> {
    for (;;) {
      const row = await claimRow(context, workerId, now, forMs);
      if (row === null) return null;
      const { team_id: teamId, up_to_id: upToId, cursor, actor } = row;
      if (readSearch(row) !== null) return { ...taskOf(row), teamId, upToId, cursor, actor };
      await bulkTasks.cancel(context, teamId, row.id, now);
    }
  },

  /** Extends the claim or, with `state`, ends the task. False: cancelled, or taken over. */
  async advance(
    { main }: Context,
    task: Pick<ClaimedTask, 'teamId' | 'id'>,
    workerId: string,
    step: {
      done: number;
      skipped: number;
      cursor: string | null;
      claimedUntil: number;
      ended?: { state: 'done' | 'failed'; at: number };
    },
  ): Promise<boolean> {
    const { teamId: team_id, id } = task;
    const ours = { team_id, id, claimed_by: workerId, finished_at: null };
    const changed = await change(main, 'bulk_tasks', ours, {
      done: sql`done + ${step.done}`,
      skipped: sql`skipped + ${step.skipped}`,
      cursor: step.cursor,
      claimed_until: step.claimedUntil,
      ...(step.ended && { state: step.ended.state, finished_at: step.ended.at }),
    });
    return changed === 1;
  },

  async forgetBefore({ main }: Context, before: number): Promise<void> {
    await remove(main, 'bulk_tasks', { finished_at: below(before) });
  },
};

function claimRow({ main }: Context, workerId: string, now: number, forMs: number) {
  return main.transact(async (trx) => {
    const free = await first(
      trx,
      'bulk_tasks',
      { finished_at: null, claimed_until: atMost(now) },
      { order: ['id'], lock: 'for update skip locked' },
    );
    if (!free) return null;
    const { team_id, id } = free;
    const claim = { state: 'running', claimed_by: workerId, claimed_until: now + forMs } as const;
    await change(trx, 'bulk_tasks', { team_id, id }, claim);
    return { ...free, ...claim };
  });
}
