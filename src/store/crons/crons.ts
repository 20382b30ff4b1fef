import { nextRunAfter, searchFrom } from '#domain/cron/cron';
import { keepCount, withinEnd } from '#domain/cron/cron-end';
import { nextReminder } from '#domain/alerts/alert-reminder';
import { readAlertSettings, type RemindHours } from '#domain/alerts/alert-settings';
import { newId } from '#domain/base/ids';
import { changePause, type PauseChange } from '#domain/team/pause';
import { readTags, writeTags } from '#domain/team/tags';
import { sql } from '../database/sql.ts';

import type { Trx } from '../database/database.ts';
import { takePlace } from '../database/row-bounds.ts';
import { forgetCertificates } from '../alerts/certificates.ts';
import { deleteWithRuns } from '../retention/delete-runs.ts';
import { readWholeExecutions } from '../runs/every-run.ts';
import { type Cron, cronColumns, cronOf, type CronSettings } from './cron-rows.ts';
import {
  type ExecutionDetail,
  executionDetail,
  type ExecutionRecord,
  executionRecord,
  NOT_ENDED,
} from '../runs/run-records.ts';
import { correctPlannedTimes } from './planned-times.ts';
import { endOf } from './row-end.ts';
import type { Row } from '../tables/tables.ts';
import { findTeamWith } from '../jobs/job-records.ts';
import { toRecord } from '../database/records.ts';
import { add, all, atMost, change, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export type { Cron, CronSettings, ExecutionDetail, ExecutionRecord };

/** Engines get a signal after each commit that makes a run due. */
export const crons = {
  /**
   * @param nextRunAt null: paused (§3.1)
   * @param pausedUntil when the pause ends automatically
   * @throws TeamFull
   */
  async create(
    context: Context,
    teamId: string,
    settings: CronSettings,
    nextRunAt: number | null,
    now: number,
    pausedUntil: number | null = null,
  ): Promise<Cron> {
    const row: Row<'crons'> = {
      team_id: teamId,
      id: newId(now),
      created_at: now,
      is_active: nextRunAt === null ? 0 : 1,
      paused_until: pausedUntil,
      next_run_at: withinEnd(nextRunAt, settings.end, 0),
      runs_counted: 0,
      stopped_after: null,
      ...UNBROKEN,
      ...cronColumns(context.sealer, teamId, settings),
    };
    await context.main.transact(async (trx) => {
      await takePlace(trx, teamId, 'crons', context.bounds);
      await add(trx, 'crons', row);
    });
    signalDue(context, teamId, row.next_run_at);
    return cronOf(context.sealer, row);
  },

  /**
   * The same schedule keeps the next time, which may be due right now.
   * @param pause the changed parts
   */
  async update(
    context: Context,
    teamId: string,
    cronId: string,
    settings: CronSettings,
    { pause, now }: { pause: PauseChange; now: number },
  ): Promise<Cron | null> {
    return changeCron(context, teamId, cronId, (row) => {
      const wasActive = row.is_active === 1;
      const before = { isPaused: !wasActive, pausedUntil: row.paused_until };
      const { isPaused, pausedUntil } = changePause(before, pause, now);
      const active = !isPaused;
      const stays =
        wasActive &&
        row.next_run_at !== null &&
        row.cron_expression === settings.cronExpression &&
        row.starts_at === settings.startsAt;
      const counted = keepCount(endOf(row), settings.end, row.runs_counted);
      const columns = cronColumns(context.sealer, teamId, settings);
      const next = stays ? row.next_run_at : nextTime(columns, now);
      return {
        ...columns,
        // Such a streak isn't kept, so it would be wrong later.
        ...(settings.alertThreshold === null && settings.stopAfter === null
          ? UNBROKEN
          : { remind_at: remindAt(row, settings.alertSettings.remindHours, now) }),
        ...(active && !wasActive && resetCounts(row)),
        is_active: active ? 1 : 0,
        paused_until: pausedUntil,
        runs_counted: counted,
        next_run_at: active ? withinEnd(next, settings.end, counted) : null,
      };
    });
  },

  /** §2.13 */
  async setTags(
    context: Context,
    teamId: string,
    cronId: string,
    change: (tags: readonly string[]) => readonly string[],
  ): Promise<Cron | null> {
    return changeCron(context, teamId, cronId, ({ tags }) => ({
      tags: writeTags(change(readTags(tags))),
    }));
  },

  /** A running one keeps its next time (§3.1). */
  async start(context: Context, teamId: string, cronId: string, now: number): Promise<Cron | null> {
    return changeCron(context, teamId, cronId, (row) =>
      row.is_active === 1 ? {} : startedAnew(row, now),
    );
  },

  /**
   * §3.1
   * @param until when the pause ends automatically; null: never
   */
  async pause(
    context: Context,
    teamId: string,
    cronId: string,
    until: number | null = null,
  ): Promise<Cron | null> {
    const paused = { is_active: 0, next_run_at: null, paused_until: until } as const;
    return changeCron(context, teamId, cronId, () => paused);
  },

  /** See `correctPlannedTimes`. */
  async correctTimes(context: Context, now: () => number | null): Promise<number> {
    return correctPlannedTimes(context.main, now, (...due) => signalDue(context, ...due));
  },

  async delete({ main }: Context, teamId: string, cronId: string): Promise<boolean> {
    return (await deleteWithRuns(main, 'crons', { team_id: teamId, id: cronId })) !== null;
  },

  async find({ main, sealer }: Context, teamId: string, cronId: string): Promise<Cron | null> {
    const row = await one(main, 'crons', { team_id: teamId, id: cronId });
    return row ? cronOf(sealer, row) : null;
  },

  async list({ main, sealer }: Context, teamId: string): Promise<Cron[]> {
    const rows = await all(main, 'crons', { team_id: teamId }, { order: ['name', 'id'] });
    return rows.map((row) => cronOf(sealer, row));
  },

  /** Oldest first. */
  async listOfUrl(
    { main }: Context,
    teamId: string,
    url: string,
    limit: number,
  ): Promise<Pick<Cron, 'id' | 'name' | 'cronExpression'>[]> {
    const choice = { columns: ['id', 'name', 'cron_expression'], order: ['id'], limit } as const;
    const rows = await all(main, 'crons', { team_id: teamId, url }, choice);
    return rows.map((row) => toRecord(row));
  },

  /** Unknown ids are left out. */
  async findAll(
    { main, sealer }: Context,
    teamId: string,
    cronIds: readonly string[],
  ): Promise<Map<string, Cron>> {
    const rows = await all(main, 'crons', { team_id: teamId, id: cronIds });
    return new Map(rows.map((row) => [row.id, cronOf(sealer, row)]));
  },

  /** For the command line, which has only the id. */
  async findTeam({ main }: Context, cronId: string): Promise<string | null> {
    return findTeamWith(main, 'crons', cronId);
  },

  /** Independent of the schedule (§3.1). */
  async addExecution(
    context: Context,
    teamId: string,
    cronId: string,
    now: number,
    actor: string | null = null,
  ): Promise<ExecutionRecord | null> {
    const execution = await context.main.transact(async (trx) => {
      const cron = await one(trx, 'crons', { team_id: teamId, id: cronId }, ['id']);
      if (!cron) return null;
      const row = {
        team_id: teamId,
        id: newId(now),
        cron_id: cronId,
        status: 'pending' as const,
        created_at: now,
        scheduled_for: null,
        started_at: null,
        claimed_by: null,
        actor,
      };
      await add(trx, 'executions', row);
      return executionRecord({ ...row, ...NOT_ENDED });
    });
    if (execution) signalDue(context, teamId, now);
    return execution;
  },

  /** Newest first, with responses. */
  async listExecutions(
    { main }: Context,
    teamId: string,
    cronId: string,
    limit: number,
    before?: string,
  ): Promise<ExecutionDetail[]> {
    const isOlder = before === undefined ? sql`` : sql` and id < ${before}`;
    const where = sql`team_id = ${teamId} and cron_id = ${cronId}${isOlder}`;
    const tail = sql`order by id desc limit ${limit}`;
    const newest = { where, tail, end: sql`order by runs.id desc limit ${limit}` };
    const rows = await readWholeExecutions(main, newest);
    return rows.map(executionDetail);
  },

  async findExecution(
    { main }: Context,
    teamId: string,
    executionId: string,
  ): Promise<ExecutionDetail | null> {
    const where = sql`team_id = ${teamId} and id = ${executionId}`;
    const [row] = await readWholeExecutions(main, { keepsPlan: true, where });
    return row ? executionDetail(row) : null;
  },
};

/** Null: its pause hasn't expired. */
export async function endPauseOfCron(
  trx: Trx,
  teamId: string,
  cronId: string,
  now: number,
): Promise<Pick<Row<'crons'>, 'name' | 'next_run_at'> | null> {
  const key = { team_id: teamId, id: cronId };
  const expired = { ...key, paused_until: atMost(now) };
  const row = await one(trx, 'crons', expired, undefined, 'for update');
  if (!row) return null;
  const columns = startedAnew(row, now);
  await change(trx, 'crons', key, columns);
  return { ...row, ...columns };
}

async function changeCron(
  context: Context,
  teamId: string,
  cronId: string,
  decide: (row: Row<'crons'>) => Partial<Row<'crons'>>,
): Promise<Cron | null> {
  const key = { team_id: teamId, id: cronId };
  const row = await context.main.transact(async (trx) => {
    // An engine may be setting the next time.
    const before = await one(trx, 'crons', key, undefined, 'for update');
    if (!before) return null;
    const columns = decide(before);
    if (Object.keys(columns).length > 0) {
      await change(trx, 'crons', key, columns);
      if ((columns.url ?? before.url) !== before.url) await forgetCertificates(trx, teamId, cronId);
    }
    return { ...before, ...columns };
  });
  if (!row) return null;
  signalDue(context, teamId, row.next_run_at);
  return cronOf(context.sealer, row);
}

function signalDue({ signals }: Context, teamId: string, dueAt: number | null): void {
  if (dueAt !== null) signals.send([{ kind: 'team-due', teamId, dueAt }]);
}

/** A changed interval counts from now. */
function remindAt(row: Row<'crons'>, hours: RemindHours | null, now: number): number | null {
  if (row.has_raised_failure === 0) return null;
  const isSame = readAlertSettings(row.alert_settings).remindHours === hours;
  return isSame ? row.remind_at : nextReminder(now, hours);
}

function nextTime(
  { cron_expression, starts_at }: Pick<Row<'crons'>, 'cron_expression' | 'starts_at'>,
  now: number,
): number | null {
  return nextRunAfter(cron_expression, searchFrom(starts_at, now));
}

function startedAnew(row: Row<'crons'>, now: number) {
  return {
    ...resetCounts(row),
    is_active: 1,
    paused_until: null,
    next_run_at: withinEnd(nextTime(row, now), endOf(row), row.runs_counted),
  } as const;
}

/** Keeps its failure alert, so a success still raises the recovery. */
function resetCounts(row: Row<'crons'>): Partial<Row<'crons'>> {
  if (row.stop_after === null && row.stopped_after === null) return {};
  const failing_since = row.has_raised_failure === 1 ? row.failing_since : null;
  return { failed_runs: 0, failing_since, stopped_after: null };
}

const UNBROKEN = {
  failed_runs: 0,
  failing_since: null,
  has_raised_failure: 0,
  remind_at: null,
} as const;
