import { CompiledQuery } from 'kysely';
import { deleteOldAlerts } from '../alerts/alerts.ts';
import type { Database } from '../database/database.ts';
import {
  deleteFound,
  findEndedOfTeam,
  findExecutionsOfCron,
  findGoneCrons,
  findGoneQueues,
  findJobsOfQueue,
  findOldDeadLetters,
  findOldExecutions,
  findOldFailures,
  findOldSuccesses,
  findOldSuccessfulExecutions,
  findOverdueSuccesses,
  type RunKey,
  type RunsTable,
} from './delete-runs.ts';
import { type PreparedStatement, runPrepared } from '../database/prepared.ts';
import {
  coveredMs,
  daysOfPartition,
  keepPartitions,
  type PartitionWork,
  readSpans,
} from '../postgres/partitions.ts';
import { DAY_MS } from '#domain/instant';
import { FIRST_ID } from '#domain/ids';

/**
 * The kinds of data that expire:
 * - `deadLetters`: after their queue's number of days
 * - `jobs`, `executions`: other ended runs, after the operator's number of days; successes may expire earlier
 * - `alerts`: after 90 days
 * - `outcomes`: after 31 days, a day more than plots show
 * - `durations`, `depths`: after eight days, a little more than plots show
 * - `activity`: after 400 days
 * - `orphans`: runs whose queue or cron was deleted
 * - `ofDeletedTeams`: all rows of deleted teams
 */
export const EXPIRING = [
  'deadLetters',
  'jobs',
  'executions',
  'alerts',
  'outcomes',
  'durations',
  'depths',
  'activity',
  'orphans',
  'ofDeletedTeams',
] as const;
export type Expiring = (typeof EXPIRING)[number];

/** For how many days finished runs are kept. */
export interface HistoryDays {
  historyDays: number;
  /** A smaller number of days for successful runs; undefined: the same. */
  successHistoryDays?: number;
}

interface Owner {
  owner_id: string;
}

const ALERT_DAYS = 90;
const FIGURE_DAYS = 8;
const OUTCOME_DAYS = 31;
/** A month's plot shows where looks are missing. */
const LOOK_DAYS = 35;
export const ACTIVITY_DAYS = 400;
/** The tables with rows of a team, large ones first. Rows in other tables are deleted with the team's own row. */
export const TABLES_OF_TEAM = [
  'callbacks',
  'jobs',
  'executions',
  'ended_jobs',
  'ended_executions',
  'queues',
  'taken_slots',
  'failing_queues',
  'crons',
  'usage_months',
  'usage_days',
  'alerts',
  'usage_alerts',
  'notices',
  'alert_bursts',
  'slow_spells',
  'channels',
  'maintenance_windows',
  'batch_counts',
  'outcome_hours',
  'duration_hours',
  'queue_depths',
  'bulk_tasks',
  'activity',
] as const;

type Asked = HistoryDays & { now: number; limit: number };

function daysOfSuccesses({ historyDays, successHistoryDays = historyDays }: HistoryDays): number {
  return Math.min(historyDays, successHistoryDays);
}

/**
 * Deletes expired data (§3.9), in steps so small that dispatch never waits for one: each finds a few rows by an index,
 * outside of any transaction, and deletes just those.
 */
export class RetentionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Deletes some expired rows of one kind.
   *
   * @param limit  the most rows
   * @returns how many were deleted; with `limit` of them there may be more
   */
  async deleteSome(kind: Expiring, asked: Asked): Promise<number> {
    const { now, limit } = asked;
    switch (kind) {
      case 'deadLetters': {
        const found = { statement: findOldDeadLetters, parameters: [now] };
        return deleteFound(this.#db, 'ended_jobs', found, limit);
      }
      case 'jobs':
        return this.#deleteOldJobs(asked);
      case 'executions':
        return this.#deleteOldExecutions(asked);
      case 'alerts':
        return deleteOldAlerts(this.#db, now - ALERT_DAYS * DAY_MS, limit);
      case 'outcomes':
        return this.#deleteOlder('outcome_hours', 'hour', now - OUTCOME_DAYS * DAY_MS, limit);
      case 'durations':
        return this.#deleteOlder('duration_hours', 'hour', now - FIGURE_DAYS * DAY_MS, limit);
      case 'depths': {
        const before = now - FIGURE_DAYS * DAY_MS;
        const depths = await this.#deleteOlder('queue_depths', 'at', before, limit);
        if (depths === limit) return depths;
        const looksBefore = now - LOOK_DAYS * DAY_MS;
        return depths + (await this.#deleteOlder('depth_looks', 'at', looksBefore, limit - depths));
      }
      case 'activity':
        return this.#deleteOlder('activity', 'at', now - ACTIVITY_DAYS * DAY_MS, limit);
      case 'orphans':
        return this.sweepOrphans(limit);
      case 'ofDeletedTeams':
        return this.#deleteOfDeletedTeams(limit);
    }
  }

  /**
   * Makes partitions ahead for successful jobs, and drops past ones (Postgres only).
   *
   * @returns how many were made and dropped
   */
  async keepPartitions(now: number, days: HistoryDays): Promise<PartitionWork> {
    if (!this.#db.dialect.isShared) return { made: 0, dropped: 0 };
    return keepPartitions(this.#db, now, daysOfSuccesses(days));
  }

  /** For how many milliseconds from now there are partitions for successful jobs; null where there are none (SQLite). */
  async partitionsAheadMs(now: number): Promise<number | null> {
    if (!this.#db.dialect.isShared) return null;
    return coveredMs(await readSpans(this.#db), now);
  }

  /** Deletes runs whose queue or cron was deleted: leftovers of a deletion that was interrupted. */
  async sweepOrphans(limit: number): Promise<number> {
    let total = 0;
    const sweep = async (
      ...args: [RunsTable, PreparedStatement<Owner>, PreparedStatement<RunKey>]
    ) => {
      if (total < limit) total += await this.#sweep(...args, limit - total);
    };
    for (const table of ['jobs', 'ended_jobs'] as const) {
      await sweep(table, findGoneQueues[table], findJobsOfQueue[table]);
    }
    for (const table of ['executions', 'ended_executions'] as const) {
      await sweep(table, findGoneCrons[table], findExecutionsOfCron[table]);
    }
    return total;
  }

  /**
   * Gives freed pages of a SQLite file back to the file system; Postgres sees to that itself.
   *
   * @param most  how many pages of 4 KiB: some hundreds take a few milliseconds
   * @returns how many pages are still free
   */
  async giveBackPages(most: number): Promise<number> {
    return this.#db.dialect.giveBackPages(
      (text) => this.#db.autocommit(CompiledQuery.raw(text)),
      most,
    );
  }

  async #deleteOldJobs(asked: Asked): Promise<number> {
    const { now, historyDays, limit } = asked;
    const days = daysOfSuccesses(asked);
    const failures = { statement: findOldFailures, parameters: [now, historyDays] };
    const successes = { statement: findOldSuccesses, parameters: [now, days] };
    // A partition is dropped when its last job is old enough, so no job in it is kept longer than this.
    const mostDays = days + daysOfPartition(days);
    const overdue = { statement: findOverdueSuccesses, parameters: [now, mostDays] };
    let gone = 0;
    for (const found of [failures, successes, ...(this.#db.dialect.isShared ? [overdue] : [])]) {
      if (gone < limit) gone += await deleteFound(this.#db, 'ended_jobs', found, limit - gone);
    }
    return gone;
  }

  async #deleteOldExecutions(asked: Asked): Promise<number> {
    const { now, historyDays, limit } = asked;
    const old = { statement: findOldExecutions, parameters: [now - historyDays * DAY_MS] };
    const gone = await deleteFound(this.#db, 'ended_executions', old, limit);
    const days = daysOfSuccesses(asked);
    if (gone === limit || days === historyDays) return gone;
    const successes = {
      statement: findOldSuccessfulExecutions,
      parameters: [now - days * DAY_MS],
    };
    return gone + (await deleteFound(this.#db, 'ended_executions', successes, limit - gone));
  }

  async #sweep(
    table: RunsTable,
    findGone: PreparedStatement<Owner>,
    findRuns: PreparedStatement<RunKey>,
    limit: number,
  ): Promise<number> {
    const owners = await this.#db.read((reader) =>
      runPrepared(reader, this.#db.dialect, findGone, [FIRST_ID]),
    );
    let total = 0;
    for (const { owner_id } of owners) {
      if (total >= limit) return total;
      const found = { statement: findRuns, parameters: [owner_id] };
      total += await deleteFound(this.#db, table, found, limit - total);
    }
    return total;
  }

  async #deleteOfDeletedTeams(limit: number): Promise<number> {
    const teams = await this.#db.read((db) =>
      db.selectFrom('teams').select('id').where('deleted_at', 'is not', null).limit(10).execute(),
    );
    let total = 0;
    for (const { id } of teams) {
      for (const table of TABLES_OF_TEAM) {
        if (total >= limit) return total;
        total += await this.#deleteSomeOfTeam(table, id, limit - total);
      }
      if (total >= limit) return total;
      await this.#db.transact((trx) => trx.deleteFrom('teams').where('id', '=', id).execute());
      total++;
    }
    return total;
  }

  async #deleteSomeOfTeam(
    table: (typeof TABLES_OF_TEAM)[number],
    teamId: string,
    limit: number,
  ): Promise<number> {
    if (table === 'ended_jobs' || table === 'ended_executions') {
      const found = { statement: findEndedOfTeam[table], parameters: [teamId] };
      return deleteFound(this.#db, table, found, limit);
    }
    return this.#deleteFew(table, `team_id = ${this.#db.dialect.$(1)}`, [teamId, limit]);
  }

  async #deleteOlder(
    table: 'activity' | 'outcome_hours' | 'duration_hours' | 'queue_depths' | 'depth_looks',
    column: 'hour' | 'at' | 'until',
    before: number,
    limit: number,
  ): Promise<number> {
    return this.#deleteFew(table, `${column} < ${this.#db.dialect.$(1)}`, [before, limit]);
  }

  /** @param parameters  those of the condition, then the most rows */
  async #deleteFew(
    table: string,
    condition: string,
    parameters: readonly [unknown, number],
  ): Promise<number> {
    const { $, isAmongFew } = this.#db.dialect;
    const text = `delete from ${table} where ${isAmongFew(table, condition, $(2))} returning 1 as gone`;
    const gone = await this.#db.autocommit(CompiledQuery.raw(text, [...parameters]));
    return gone.length;
  }
}
