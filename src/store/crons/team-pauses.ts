import { withinEnd } from '#domain/cron-end';
import type { Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { lockTeam } from '../database/lock-team.ts';
import { endOf } from './row-end.ts';
import { all, atMost, change, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** That everything of a team is paused (§3.11). */
export interface TeamPause {
  /** Since when. */
  at: number;
  /** Who did it, by the name of then. */
  by: string;
}

/** The most crons of one transaction. */
const AT_ONCE = 500;

const NEXT = { team_id: 'id', cron_id: 'id', next_run_at: 'bigint' } as const satisfies Fields;

const writeNextTimes = preparedStatement<never>(
  'write-next-times',
  (dialect) => `
  update crons set next_run_at = given.next_run_at from ${dialect.rows(NEXT, 1)}
  where crons.team_id = given.team_id and crons.id = given.cron_id`,
);

/**
 * Pauses all crons and queues of a team. The pause is a column of the team's row, which every claim reads anyway; crons
 * and queues that are paused themselves stay so.
 */
export const teamPauses = {
  /** Null: it is not paused, or there is no such team. */
  async read({ main }: Context, teamId: string): Promise<TeamPause | null> {
    const row = await one(main, 'teams', { id: teamId }, ['paused_at', 'paused_by']);
    const at = row?.paused_at ?? null;
    return at === null ? null : { at, by: row?.paused_by ?? '' };
  },

  /** False if it is paused already: the first pause stays recorded. */
  async pause({ main }: Context, teamId: string, { at, by }: TeamPause): Promise<boolean> {
    const running = { id: teamId, paused_at: null, deleted_at: null };
    return (await change(main, 'teams', running, { paused_at: at, paused_by: by })) === 1;
  },

  /**
   * Resumes the team. Times of crons that passed during the pause are skipped, as for a cron that is started again
   * (§3.1), in small transactions while the team is still paused; the last one resumes it. If the process dies in
   * between, the team stays paused and can be resumed again. False if it is not paused.
   *
   * @param nextRunAt  the next time of an expression after now
   */
  async resume(
    { main, signals }: Context,
    teamId: string,
    now: number,
    nextRunAt: (cronExpression: string) => number | null,
  ): Promise<boolean> {
    for (;;) {
      const step = await main.transact((trx) => resumeStep(trx, teamId, now, nextRunAt));
      if (step === 'not-paused') return false;
      if (step === 'resumed') break;
    }
    // Any of its queues may have due jobs, and a resume has no signal of its own.
    signals.send([{ kind: 'unknown' }]);
    return true;
  },
};

/** Skips some of the passed times; resumes the team if none are left. */
async function resumeStep(
  trx: Trx,
  teamId: string,
  now: number,
  nextRunAt: (cronExpression: string) => number | null,
): Promise<'more' | 'resumed' | 'not-paused'> {
  await lockTeam(trx, teamId);
  const team = await one(trx, 'teams', { id: teamId }, ['paused_at']);
  if (!team || team.paused_at === null) return 'not-paused';
  const passed = await all(
    trx,
    'crons',
    { team_id: teamId, next_run_at: atMost(now) },
    {
      columns: ['id', 'cron_expression', 'ends_at', 'max_runs', 'runs_counted'],
      order: ['next_run_at', 'id'],
      limit: AT_ONCE,
      lock: 'for no key update',
    },
  );
  const rows = passed.map((cron) => {
    const next = nextRunAt(cron.cron_expression);
    const next_run_at = withinEnd(next, endOf(cron), cron.runs_counted);
    return { team_id: teamId, cron_id: cron.id, next_run_at };
  });
  if (rows.length > 0) {
    await trx.rows(writeNextTimes, [packRows(NEXT, rows)]);
  }
  if (rows.length === AT_ONCE) return 'more';
  await change(trx, 'teams', { id: teamId }, { paused_at: null, paused_by: null });
  return 'resumed';
}
