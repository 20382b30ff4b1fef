import { nextRunAfter, searchFrom } from '#domain/cron/cron';
import { withinEnd } from '#domain/cron/cron-end';
import type { Database } from '../database/database.ts';
import { preparedStatement } from '../database/prepared.ts';
import { change } from '../database/rows.ts';
import type { Row } from '../tables/tables.ts';
import { endOf } from './row-end.ts';
import { FIRST_ID } from '#domain/base/ids';

/** Clocks of nodes may differ by this much. */
const TOLERANCE_MS = 5_000;
/** Each takes some 15 µs. */
const AT_ONCE = 200;

/** The clock was ahead when the time was computed. */
function isPlannedTooLate(cron: Planned, nextRunAt: number, now: number): boolean {
  const from = searchFrom(readInstant(cron.starts_at), now + TOLERANCE_MS);
  const next = nextRunAfter(cron.cron_expression, from);
  return next !== null && next < nextRunAt;
}

/** With times as the driver gives them. */
interface Planned {
  cron_expression: string;
  starts_at: number | string | null;
}

const readInstant = (at: number | string | null) => (at === null ? null : Number(at));

/** @param now a placeholder */
export const readTimes = (now: string) =>
  `select cron_expression, next_run_at, starts_at from crons where next_run_at > ${now} limit 10000`;

/**
 * Jobs made later than now.
 * @param now a placeholder
 */
export const countJobsFromLater = (now: string) =>
  `select count(*) as jobs from jobs where status = 'pending' and created_at > ${now}`;

export function countPlannedTooLate(
  rows: readonly (Planned & { next_run_at: number | string })[],
  now: number,
): number {
  return rows.filter((row) => isPlannedTooLate(row, Number(row.next_run_at), now)).length;
}

interface PlannedRow extends Pick<
  Row<'crons'>,
  'team_id' | 'cron_expression' | 'next_run_at' | 'starts_at' | 'ends_at' | 'max_runs'
> {
  cron_id: string;
  runs_counted: number;
}

/**
 * Active crons, and ended ones, whose end may have passed by a clock that was ahead. $1 and $2 the key to continue
 * after, $3 now, $4 limit
 */
const readPlanned = preparedStatement<PlannedRow>(
  'read-planned-crons',
  (dialect) => `
  select team_id, id as cron_id, cron_expression, next_run_at, starts_at, ends_at, max_runs, runs_counted
  from crons
  where (team_id, id) > (${dialect.$(1, 'id')}, ${dialect.$(2, 'id')}) and is_active = 1
    and (next_run_at is null or next_run_at > ${dialect.$(3, 'bigint')})
  order by team_id, id limit ${dialect.$(4)}`,
);

/**
 * Stores times that come sooner, for a clock that was set back. A time that has run doesn't run again (`insertTicks`).
 * @param now called before each step; null ends
 * @returns how many
 */
export async function correctPlannedTimes(
  database: Database,
  now: () => number | null,
  onCorrected: (teamId: string, dueAt: number) => void,
): Promise<number> {
  let count = 0;
  let [teamId, cronId] = [FIRST_ID, FIRST_ID];
  for (let at = now(); at !== null; at = now()) {
    const rows = await database.read(readPlanned, [teamId, cronId, at, AT_ONCE]);
    const corrected = await correct(database, rows, at);
    for (const { team_id, next_run_at } of corrected) onCorrected(team_id, next_run_at);
    count += corrected.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) break;
    [teamId, cronId] = [last.team_id, last.cron_id];
  }
  return count;
}

async function correct(
  database: Database,
  rows: readonly PlannedRow[],
  now: number,
): Promise<{ team_id: string; next_run_at: number }[]> {
  const wrong = rows.flatMap((row) => {
    const { team_id, cron_id: id, cron_expression, next_run_at: was } = row;
    if (!isPlannedTooLate(row, was ?? Infinity, now)) return [];
    const next = nextRunAfter(cron_expression, searchFrom(row.starts_at, now));
    const next_run_at = withinEnd(next, endOf(row), row.runs_counted);
    // One that was changed since it was read is skipped.
    const key = { team_id, id, is_active: 1, cron_expression, next_run_at: was } as const;
    return next_run_at === null ? [] : [{ key, next_run_at }];
  });
  if (wrong.length === 0) return [];
  return database.transact(async (trx) => {
    const corrected = [];
    for (const { key, next_run_at } of wrong)
      if ((await change(trx, 'crons', key, { next_run_at })) > 0)
        corrected.push({ team_id: key.team_id, next_run_at });
    return corrected;
  });
}
