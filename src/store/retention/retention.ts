import { FIRST_ID } from '#domain/base/ids';
import { DAY_MS } from '#domain/base/instant';
import { LIMITS } from '#domain/base/limits';
import { CERTIFICATE_KEPT_DAYS } from '../alerts/certificates.ts';
import type { Context } from '../database/context.ts';
import type { Database } from '../database/database.ts';
import { pageStatement } from '../database/prepared.ts';
import { all, not, remove } from '../database/rows.ts';
import { lookAtSize, readSize } from './history-size.ts';
import { daysOfPartition, PARTITIONS, type PartitionWork } from './partitions.ts';
import { type Row, TABLES, type Tables } from '../tables/tables.ts';
import {
  deleteFound,
  FIND_BY_SOURCE,
  FIND_BY_TEAM,
  FIND_GONE,
  type Found,
  OLD_EXECUTIONS,
  OLD_JOBS,
  type RunsTable,
} from './delete-runs.ts';

export interface HistoryDays {
  historyDays: number;
  /** Default: `historyDays`. */
  successHistoryDays?: number;
}

type Asked = HistoryDays & { now: number; limit: number };
type Deletion = (db: Database, asked: Asked) => Promise<number>;

function oneByOne(...deletions: readonly Deletion[]): Deletion {
  return async (db, asked) => {
    let deleted = 0;
    for (const each of deletions) {
      if (deleted >= asked.limit) break;
      deleted += await each(db, { ...asked, limit: asked.limit - deleted });
    }
    return deleted;
  };
}

/** @param parameters  those of the statement, before the most rows */
function runs(
  table: RunsTable,
  statement: Found['statement'],
  parameters: (asked: Asked) => Found['parameters'],
): Deletion {
  return (db, asked) =>
    deleteFound(db, table, { statement, parameters: parameters(asked) }, asked.limit);
}

function deleteFew(table: string, condition: (value: string) => string) {
  return pageStatement<{ deleted: 1 }>(`delete-few-of-${table}`, ({ $, isAmongFew }) => {
    const isChosen = isAmongFew(table, condition($(1)), $(2));
    return `delete from ${table} where ${isChosen} returning 1 as deleted`;
  });
}

function olderThan<T extends keyof Tables>(
  days: number,
  table: T,
  column: keyof Row<T> & string,
): Deletion {
  const statement = deleteFew(table, (before) => `${column} < ${before}`);
  return async (db, { now, limit }) =>
    (await db.rows(statement, [now - days * DAY_MS, limit])).length;
}

/** Leftovers of interrupted deletions of queues and crons. */
function runsOfGone(table: RunsTable): Deletion {
  return async (db, asked) => {
    const sources = await db.read(FIND_GONE[table], [FIRST_ID]);
    const ofSources = sources.map(({ source_id }) =>
      runs(table, FIND_BY_SOURCE[table], () => [source_id]),
    );
    return oneByOne(...ofSources)(db, asked);
  };
}

const daysOfSuccesses = ({ historyDays, successHistoryDays = historyDays }: HistoryDays) =>
  Math.min(historyDays, successHistoryDays);

const DELETIONS = {
  deadLetters: runs('ended_jobs', OLD_JOBS.deadLetters, ({ now }) => [
    now,
    LIMITS.deadLetterDays.most,
  ]),
  jobs: oneByOne(
    runs('ended_jobs', OLD_JOBS.failures, ({ now, historyDays }) => [now, historyDays]),
    runs('ended_jobs', OLD_JOBS.successes, (asked) => [asked.now, daysOfSuccesses(asked)]),
    // A partition is dropped when its last job is old enough.
    runs('ended_jobs', OLD_JOBS.overdueSuccesses, (asked) => {
      const days = daysOfSuccesses(asked);
      return [asked.now, days + daysOfPartition(days)];
    }),
  ),
  executions: oneByOne(
    runs('ended_executions', OLD_EXECUTIONS.any, ({ now, historyDays }) => [
      now - historyDays * DAY_MS,
    ]),
    runs('ended_executions', OLD_EXECUTIONS.successes, (asked) => [
      asked.now - daysOfSuccesses(asked) * DAY_MS,
    ]),
  ),
  alerts: oneByOne(
    olderThan(90, 'alerts', 'raised_at'),
    olderThan(90, 'alert_bursts', 'quiet_until'),
  ),
  // A day more than plots show.
  outcomes: olderThan(31, 'outcome_hours', 'hour'),
  // A little more than plots show.
  durations: olderThan(8, 'duration_hours', 'hour'),
  depths: olderThan(8, 'queue_depths', 'at'),
  // A month's plot shows where looks are missing.
  looks: olderThan(35, 'depth_looks', 'at'),
  certificates: olderThan(CERTIFICATE_KEPT_DAYS, 'ending_certificates', 'seen_at'),
  activity: olderThan(400, 'activity', 'at'),
  sessions: olderThan(0, 'sessions', 'expires_at'),
  oneTimeTokens: olderThan(0, 'one_time_tokens', 'expires_at'),
  invitations: olderThan(0, 'invitations', 'expires_at'),
  orphans: oneByOne(
    ...(['jobs', 'ended_jobs', 'executions', 'ended_executions'] as const).map(runsOfGone),
  ),
  ofDeletedTeams: deleteOfDeletedTeams,
} as const satisfies Record<string, Deletion>;

/** All that ended up to a time (`now`), regardless of the days of dead letters and history. */
const deleteEnded = oneByOne(
  ...[OLD_JOBS.deadLetters, OLD_JOBS.failures, OLD_JOBS.overdueSuccesses].map((statement) =>
    runs('ended_jobs', statement, ({ now }) => [now, 0]),
  ),
  runs('ended_executions', OLD_EXECUTIONS.any, ({ now }) => [now]),
);

export type Expiring = keyof typeof DELETIONS;
export const EXPIRING = Object.keys(DELETIONS) as readonly Expiring[];

/** Not deleted with the team's own row. */
export const TABLES_OF_TEAM: readonly string[] = TABLES.filter(
  ({ columns: { team_id } }) => team_id !== undefined && team_id.rules.owner === undefined,
).map(({ name }) => name);

/** In steps so small that dispatch never waits (§3.9): each finds a few rows by an index. */
export const retention = {
  /** @returns with `limit` rows there may be more */
  async deleteSome({ main }: Context, kind: Expiring, asked: Asked): Promise<number> {
    return DELETIONS[kind](main, asked);
  },

  lookAtSize,
  readSize,

  /** @returns with `limit` rows there may be more */
  async deleteEndedUntil({ main }: Context, until: number, limit: number): Promise<number> {
    return deleteEnded(main, { now: until, historyDays: 0, limit });
  },

  /** Whole ones, on Postgres. */
  async dropPartitionsUntil({ main }: Context, until: number): Promise<number> {
    return PARTITIONS[main.dialect.name].dropUntil(main, until);
  },

  /** Postgres only. */
  async keepPartitions({ main }: Context, now: number, days: HistoryDays): Promise<PartitionWork> {
    return PARTITIONS[main.dialect.name].keep(main, now, daysOfSuccesses(days));
  },

  /** Milliseconds from now; null on SQLite. */
  async partitionsAheadMs({ main }: Context, now: number): Promise<number | null> {
    return PARTITIONS[main.dialect.name].aheadMs(main, now);
  },

  /**
   * SQLite only. @param most pages of 4 KiB: some hundreds take a few milliseconds
   * @returns the pages that are still free
   */
  async giveBackPages({ main }: Context, most: number): Promise<number> {
    return main.dialect.giveBackPages((text) => main.autocommit(text), most);
  },
};

async function deleteOfDeletedTeams(db: Database, asked: Asked): Promise<number> {
  const teams = await all(db, 'teams', { deleted_at: not(null) }, { columns: ['id'], limit: 10 });
  const ofTeams = teams.flatMap(({ id }) => {
    const ofRows = TABLES_OF_TEAM.map((table) => rowsOfTeam(table, id));
    return ofRows.concat(() => remove(db, 'teams', { id }));
  });
  return oneByOne(...ofTeams)(db, asked);
}

function rowsOfTeam(table: string, teamId: string): Deletion {
  if (table === 'ended_jobs' || table === 'ended_executions') {
    return runs(table, FIND_BY_TEAM[table], () => [teamId]);
  }
  const statement = deleteFew(table, (team) => `team_id = ${team}`);
  return async (db, { limit }) => (await db.rows(statement, [teamId, limit])).length;
}
