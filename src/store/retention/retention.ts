import { CompiledQuery } from 'kysely';
import { FIRST_ID } from '#domain/ids';
import { DAY_MS } from '#domain/instant';
import { deleteOldAlerts } from '../alerts/alerts.ts';
import type { Context } from '../database/context.ts';
import type { Database } from '../database/database.ts';
import type { PreparedStatement } from '../database/prepared.ts';
import { remove } from '../database/rows.ts';
import { daysOfPartition, PARTITIONS, type PartitionWork } from './partitions.ts';
import { TABLES } from '../tables/tables.ts';
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
  type Found,
  type RunsTable,
} from './delete-runs.ts';

/** For how many days finished runs are kept. */
export interface HistoryDays {
  historyDays: number;
  /** A smaller number of days for successful runs; undefined: the same. */
  successHistoryDays?: number;
}

type Asked = HistoryDays & { now: number; limit: number };
/** Deletes up to `limit` rows and returns their number. */
type Deletion = (db: Database, asked: Asked) => Promise<number>;

/** How each kind of expired data is deleted. */
const DELETIONS = {
  deadLetters: (db, { now, limit }) =>
    deleteFound(db, 'ended_jobs', { statement: findOldDeadLetters, parameters: [now] }, limit),
  jobs: deleteOldJobs,
  executions: deleteOldExecutions,
  alerts: (db, { now, limit }) => deleteOldAlerts(db, now - 90 * DAY_MS, limit),
  // A day more than plots show.
  outcomes: olderThan(31, 'outcome_hours', 'hour'),
  // A little more than plots show.
  durations: olderThan(8, 'duration_hours', 'hour'),
  depths: olderThan(8, 'queue_depths', 'at'),
  // A month's plot shows where looks are missing.
  looks: olderThan(35, 'depth_looks', 'at'),
  activity: olderThan(400, 'activity', 'at'),
  orphans: sweepOrphans,
  ofDeletedTeams: deleteOfDeletedTeams,
} as const satisfies Record<string, Deletion>;

export type Expiring = keyof typeof DELETIONS;
export const EXPIRING = Object.keys(DELETIONS) as readonly Expiring[];

/**
 * The tables with rows of a team that are not deleted with the team's own row. Callbacks that are being sent end by
 * themselves.
 */
export const TABLES_OF_TEAM: readonly string[] = TABLES.filter(({ name, columns }) => {
  const { team_id } = columns;
  const isOwned = team_id !== undefined && team_id.rules.owner === undefined;
  return isOwned && name !== 'callbacks_under_way';
}).map(({ name }) => name);

/**
 * Deletes expired data (§3.9), in steps so small that dispatch never waits for one: each finds a few rows by an index,
 * outside of any transaction, and deletes just those.
 */
export const retention = {
  /**
   * Deletes some expired rows of one kind.
   *
   * @param asked `limit`: the most rows
   * @returns the number of deleted rows; with `limit` of them there may be more
   */
  async deleteSome({ main }: Context, kind: Expiring, asked: Asked): Promise<number> {
    return DELETIONS[kind](main, asked);
  },

  /**
   * Makes partitions ahead for successful jobs, and drops past ones (Postgres only).
   *
   * @returns how many were made and dropped
   */
  async keepPartitions({ main }: Context, now: number, days: HistoryDays): Promise<PartitionWork> {
    return PARTITIONS[main.dialect.name].keep(main, now, daysOfSuccesses(days));
  },

  /** For how many milliseconds from now there are partitions for successful jobs; null where there are none (SQLite). */
  async partitionsAheadMs({ main }: Context, now: number): Promise<number | null> {
    return PARTITIONS[main.dialect.name].aheadMs(main, now);
  },

  /** Deletes runs whose queue or cron was deleted: leftovers of a deletion that was interrupted. */
  async sweepOrphans({ main }: Context, limit: number): Promise<number> {
    return sweepOrphans(main, { limit });
  },

  /**
   * Gives freed pages of a SQLite file back to the file system; Postgres does that itself.
   *
   * @param most  how many pages of 4 KiB: some hundreds take a few milliseconds
   * @returns how many pages are still free
   */
  async giveBackPages({ main }: Context, most: number): Promise<number> {
    return main.dialect.giveBackPages((text) => main.autocommit(CompiledQuery.raw(text)), most);
  },
};

function daysOfSuccesses({ historyDays, successHistoryDays = historyDays }: HistoryDays): number {
  return Math.min(historyDays, successHistoryDays);
}

/** Deletes by one step after the other, until `limit` rows are deleted. */
async function upTo(
  limit: number,
  steps: Iterable<(left: number) => Promise<number>>,
): Promise<number> {
  let gone = 0;
  for (const step of steps) {
    if (gone >= limit) break;
    gone += await step(limit - gone);
  }
  return gone;
}

function deleteAll(
  db: Database,
  table: RunsTable,
  found: readonly Found[],
  limit: number,
): Promise<number> {
  const steps = found.map((each) => (left: number) => deleteFound(db, table, each, left));
  return upTo(limit, steps);
}

function deleteOldJobs(db: Database, asked: Asked): Promise<number> {
  const { now, historyDays, limit } = asked;
  const days = daysOfSuccesses(asked);
  // A partition is dropped when its last job is old enough, so no job in it is kept longer than this.
  const mostDays = days + daysOfPartition(days);
  const found: Found[] = [
    { statement: findOldFailures, parameters: [now, historyDays] },
    { statement: findOldSuccesses, parameters: [now, days] },
    { statement: findOverdueSuccesses, parameters: [now, mostDays] },
  ];
  return deleteAll(db, 'ended_jobs', found, limit);
}

function deleteOldExecutions(db: Database, asked: Asked): Promise<number> {
  const { now, historyDays, limit } = asked;
  const days = daysOfSuccesses(asked);
  const old = { statement: findOldExecutions, parameters: [now - historyDays * DAY_MS] };
  const successes = { statement: findOldSuccessfulExecutions, parameters: [now - days * DAY_MS] };
  const found = days === historyDays ? [old] : [old, successes];
  return deleteAll(db, 'ended_executions', found, limit);
}

function olderThan(
  days: number,
  table: 'activity' | 'outcome_hours' | 'duration_hours' | 'queue_depths' | 'depth_looks',
  column: 'hour' | 'at',
): Deletion {
  return (db, { now, limit }) =>
    deleteFew(db, table, `${column} < ${db.dialect.$(1)}`, [now - days * DAY_MS, limit]);
}

async function sweepOrphans(db: Database, { limit }: Pick<Asked, 'limit'>): Promise<number> {
  const ofJobs = (['jobs', 'ended_jobs'] as const).map(
    (table) => (left: number) =>
      sweep(db, table, { gone: findGoneQueues[table], runs: findJobsOfQueue[table] }, left),
  );
  const ofExecutions = (['executions', 'ended_executions'] as const).map(
    (table) => (left: number) =>
      sweep(db, table, { gone: findGoneCrons[table], runs: findExecutionsOfCron[table] }, left),
  );
  return upTo(limit, [...ofJobs, ...ofExecutions]);
}

/** Deletes runs of owners that no longer exist. */
async function sweep(
  db: Database,
  table: RunsTable,
  find: { gone: PreparedStatement<{ owner_id: string }>; runs: Found['statement'] },
  limit: number,
): Promise<number> {
  const owners = await db.read(find.gone, [FIRST_ID]);
  const found = owners.map(({ owner_id }) => ({ statement: find.runs, parameters: [owner_id] }));
  return deleteAll(db, table, found, limit);
}

async function deleteOfDeletedTeams(db: Database, { limit }: Asked): Promise<number> {
  const teams = await db.read((reader) =>
    reader.selectFrom('teams').select('id').where('deleted_at', 'is not', null).limit(10).execute(),
  );
  const steps = teams.flatMap(({ id }) => {
    const ofRows = TABLES_OF_TEAM.map(
      (table) => (left: number) => deleteSomeOfTeam(db, table, id, left),
    );
    return ofRows.concat(() => remove(db, 'teams', { id }));
  });
  return upTo(limit, steps);
}

async function deleteSomeOfTeam(
  db: Database,
  table: string,
  teamId: string,
  limit: number,
): Promise<number> {
  if (table === 'ended_jobs' || table === 'ended_executions') {
    const found = { statement: findEndedOfTeam[table], parameters: [teamId] };
    return deleteFound(db, table, found, limit);
  }
  return deleteFew(db, table, `team_id = ${db.dialect.$(1)}`, [teamId, limit]);
}

/** @param parameters  those of the condition, then the most rows */
async function deleteFew(
  db: Database,
  table: string,
  condition: string,
  parameters: readonly [unknown, number],
): Promise<number> {
  const { $, isAmongFew } = db.dialect;
  const text = `delete from ${table} where ${isAmongFew(table, condition, $(2))} returning 1 as gone`;
  return (await db.autocommit(CompiledQuery.raw(text, [...parameters]))).length;
}
