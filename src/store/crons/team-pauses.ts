import { withinEnd } from '#domain/cron-end';
import type { Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { lockTeam } from '../database/lock-team.ts';
import { endOf } from './row-end.ts';
import { all, atMost, change, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** While a team is paused, none of its runs start (§3.11). */
export interface TeamPause {
  at: number;
  /** By the name of then. */
  by: string;
}

/** The most crons that one transaction changes. */
const AT_ONCE = 500;

const NEXT = { team_id: 'id', cron_id: 'id', next_run_at: 'bigint' } as const satisfies Fields;

const writeNextTimes = preparedStatement<never>(
  'write-next-times',
  (dialect) => `
  update crons set next_run_at = given.next_run_at from ${dialect.rows(NEXT, 1)}
  where crons.team_id = given.team_id and crons.id = given.cron_id`,
);

/** A column of the team's row, which every claim reads anyway. Crons and queues that are paused separately stay so. */
export const teamPauses = {
  /** Null: not paused, or no such team. */
  async read({ main }: Context, teamId: string): Promise<TeamPause | null> {
    const row = await one(main, 'teams', { id: teamId }, ['paused_at', 'paused_by']);
    const at = row?.paused_at ?? null;
    return at === null ? null : { at, by: row?.paused_by ?? '' };
  },

  /** False if it is paused: the first pause stays recorded. */
  async pause({ main }: Context, teamId: string, { at, by }: TeamPause): Promise<boolean> {
    const running = { id: teamId, paused_at: null, deleted_at: null };
    return (await change(main, 'teams', running, { paused_at: at, paused_by: by })) === 1;
  },

  /**
   * Skips missed times of crons (§3.1) in small transactions; the last one resumes the team. After a crash the team
   * stays paused. False if it isn't paused.
   * @param nextRunAt after now
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
    // Any queue may have due jobs.
    signals.send([{ kind: 'unknown' }]);
    return true;
  },
};

/** Resumes the team if no time is left. */
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
