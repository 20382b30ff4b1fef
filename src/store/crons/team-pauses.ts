import { sql } from 'kysely';
import { withinEnd } from '#domain/cron-end';
import type { Database, Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import type { SignalBus } from '../database/signals.ts';
import { endOf } from './row-end.ts';

/** That everything of a team is paused (§3.11). */
export interface TeamPause {
  /** Since when. */
  at: number;
  /** Who did it, by the name of then. */
  by: string;
}

/** Written by one statement. */
const AT_ONCE = 500;

const NEXT = { team_id: 'id', cron_id: 'id', next_run_at: 'bigint' } as const satisfies Fields;

const writeNextTimes = preparedStatement<never>(
  'write-next-times',
  (dialect) => `
  update crons set next_run_at = given.next_run_at from ${dialect.rows(NEXT, 1)}
  where crons.team_id = given.team_id and crons.id = given.cron_id`,
);

/**
 * The switch over all crons and queues of a team. It is a column of the team's row, which every claim reads anyway;
 * what is paused by itself is not touched and stays so.
 */
export class TeamPauseStore {
  readonly #db: Database;
  readonly #signals: SignalBus;

  constructor(db: Database, signals: SignalBus) {
    this.#db = db;
    this.#signals = signals;
  }

  /** Null: it is not paused, or there is no such team. */
  async read(teamId: string): Promise<TeamPause | null> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('teams')
        .select(['paused_at', 'paused_by'])
        .where('id', '=', teamId)
        .executeTakeFirst(),
    );
    const at = row?.paused_at ?? null;
    return at === null ? null : { at, by: row?.paused_by ?? '' };
  }

  /** False where it is paused already: who did it first stays written down. */
  async pause(teamId: string, { at, by }: TeamPause): Promise<boolean> {
    const { numUpdatedRows } = await this.#db.transact((trx) =>
      trx
        .updateTable('teams')
        .set({ paused_at: at, paused_by: by })
        .where('id', '=', teamId)
        .where('paused_at', 'is', null)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    );
    return numUpdatedRows === 1n;
  }

  /**
   * Goes on. Times of crons that passed meanwhile are not made up for, as with a cron that is started again (§3.1).
   * False where it is not paused.
   *
   * @param nextRunAt  the next time of an expression after now
   */
  async resume(
    teamId: string,
    now: number,
    nextRunAt: (cronExpression: string) => number | null,
  ): Promise<boolean> {
    const isResumed = await this.#db.transact(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('teams')
        .set({ paused_at: null, paused_by: null })
        .where('id', '=', teamId)
        .where('paused_at', 'is not', null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return false;
      await this.#skipPassed(trx, teamId, now, nextRunAt);
      return true;
    });
    // All its queues may have something to start, and engines know of none that waits for a resumption.
    if (isResumed) this.#signals.send([{ kind: 'unknown' }]);
    return isResumed;
  }

  async #skipPassed(
    trx: Trx,
    teamId: string,
    now: number,
    nextRunAt: (cronExpression: string) => number | null,
  ): Promise<void> {
    const passed = await trx
      .selectFrom('crons')
      .select(['id', 'cron_expression', 'ends_at', 'max_runs', 'runs_counted'])
      .where('team_id', '=', teamId)
      .where('next_run_at', '<=', now)
      .orderBy('id')
      .modifyEnd(sql.raw(this.#db.dialect.lock('for no key update')))
      .execute();
    const rows = passed.map((cron) => {
      const next = nextRunAt(cron.cron_expression);
      const next_run_at = withinEnd(next, endOf(cron), cron.runs_counted);
      return { team_id: teamId, cron_id: cron.id, next_run_at };
    });
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      const some = packRows(NEXT, rows.slice(from, from + AT_ONCE));
      await runPrepared(trx, this.#db.dialect, writeNextTimes, [some]);
    }
  }
}
