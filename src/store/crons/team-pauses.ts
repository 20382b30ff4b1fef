import { nextRunAfter } from '#domain/cron/cron';
import { withinEnd } from '#domain/cron/cron-end';
import { PAUSE_ENDED } from '#domain/team/pause';
import type { Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { updateEach } from '../database/prepared.ts';
import { recordBySystem } from '../activity/activity.ts';
import { endOf } from './row-end.ts';
import { limitLockWaits } from '../database/locked-teams.ts';
import { all, atMost, change, not, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** While paused, none of its runs start (§3.11). */
export interface TeamPause {
  at: number;
  /** By the name of then. */
  by: string;
  until: number | null;
}

const NOT_PAUSED = { paused_at: null, paused_by: null, paused_until: null };
/** 10,000 crons at once would block the process for a tenth of a second. */
const AT_ONCE = 500;

const NEXT = { team_id: 'id', id: 'id', next_run_at: 'bigint' } as const satisfies Fields;

const writeNextTimes = updateEach('write-next-times', 'crons', NEXT);

/** A column of the team's row, which every claim reads anyway. Crons and queues that are paused separately stay so. */
export const teamPauses = {
  /** Null: not paused, or no such team. */
  async read({ main }: Context, teamId: string): Promise<TeamPause | null> {
    const row = await one(main, 'teams', { id: teamId }, [
      'paused_at',
      'paused_by',
      'paused_until',
    ]);
    const at = row?.paused_at ?? null;
    if (at === null) return null;
    return { at, by: row?.paused_by ?? '', until: row?.paused_until ?? null };
  },

  /** If it is paused, the first pause stays recorded, and a time replaces its end. False: nothing has changed. */
  async pause({ main }: Context, teamId: string, { at, by, until }: TeamPause): Promise<boolean> {
    const team = { id: teamId, deleted_at: null };
    const pause = { paused_at: at, paused_by: by, paused_until: until };
    if ((await change(main, 'teams', { ...team, paused_at: null }, pause)) === 1) return true;
    if (until === null) return false;
    const paused = { ...team, paused_at: not(null) };
    return (await change(main, 'teams', paused, { paused_until: until })) === 1;
  },

  /** Crons skip their missed times (§3.1). False if it isn't paused. */
  async resume(context: Context, teamId: string, now: number): Promise<boolean> {
    return resumeIn(context, (trx) => resume(trx, teamId, now));
  },

  /** False: its pause hasn't expired. */
  async end(context: Context, teamId: string, now: number): Promise<boolean> {
    return resumeIn(context, async (trx) => {
      await limitLockWaits(trx);
      const expired = { id: teamId, paused_until: atMost(now) };
      const isDue = (await one(trx, 'teams', expired, ['id'])) !== undefined;
      if (!isDue || !(await resume(trx, teamId, now))) return false;
      await recordBySystem(trx, teamId, { action: 'team.resumed', detail: PAUSE_ENDED }, now);
      return true;
    });
  },
};

async function resumeIn(
  { main, signals }: Context,
  work: (trx: Trx) => Promise<boolean>,
): Promise<boolean> {
  const isResumed = await main.transact(work);
  // Any queue may have due jobs.
  if (isResumed) signals.send([{ kind: 'unknown' }]);
  return isResumed;
}

async function resume(trx: Trx, teamId: string, now: number): Promise<boolean> {
  const paused = { id: teamId, paused_at: not(null) };
  if ((await change(trx, 'teams', paused, NOT_PAUSED)) === 0) return false;
  while ((await skipPassed(trx, teamId, now)) === AT_ONCE);
  return true;
}

/** @returns how many crons have a new time, at most `AT_ONCE` */
async function skipPassed(trx: Trx, teamId: string, now: number): Promise<number> {
  const passed = await all(
    trx,
    'crons',
    { team_id: teamId, next_run_at: atMost(now) },
    {
      columns: ['id', 'cron_expression', 'ends_at', 'max_runs', 'runs_counted'],
      order: ['id'],
      limit: AT_ONCE,
      lock: 'for no key update',
    },
  );
  const rows = passed.map((cron) => {
    const next = nextRunAfter(cron.cron_expression, now);
    const next_run_at = withinEnd(next, endOf(cron), cron.runs_counted);
    return { team_id: teamId, id: cron.id, next_run_at };
  });
  await trx.rows(writeNextTimes, [packRows(NEXT, rows)]);
  return rows.length;
}
