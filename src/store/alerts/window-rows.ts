import type { MaintenanceWindow } from '#domain/team/maintenance';
import type { Trx } from '../database/database.ts';
import { listOr } from '../database/parse-list.ts';
import { all, change, one, type Reading } from '../database/rows.ts';
import { toRecord } from '../database/records.ts';

export interface WindowSettings extends MaintenanceWindow {
  name: string;
  /** Queues send no jobs, and times of crons are skipped. Default: false. */
  pausesRuns?: boolean;
}

export interface StoredWindow extends WindowSettings {
  teamId: string;
  id: string;
  createdAt: number;
}

/** In the order of creation. */
export async function readWindows(
  db: Reading,
  teamIds: readonly string[],
  locking: { lock?: 'for update' } = {},
): Promise<StoredWindow[]> {
  const options = { order: ['id'] as const, ...locking };
  const rows = await all(db, 'maintenance_windows', { team_id: teamIds }, options);
  return rows.map((row) => {
    const { is_weekly, pauses_runs, covers } = row;
    const flags = { isWeekly: is_weekly === 1, pausesRuns: pauses_runs === 1 };
    return Object.assign(toRecord(row, COLUMNS), flags, { covers: readCovers(covers) });
  });
}

const COLUMNS = ['team_id', 'id', 'name', 'starts_at', 'ends_at', 'created_at'] as const;

/** A damaged text covers nothing, so alerts are sent. */
function readCovers(text: string): MaintenanceWindow['covers'] {
  return text === WHOLE_TEAM ? 'team' : listOr(text, []);
}

const WHOLE_TEAM = JSON.stringify('team');

export function writeCovers(covers: MaintenanceWindow['covers']): string {
  if (covers === 'team') return WHOLE_TEAM;
  const byKey = new Map(covers.map(({ kind, id }) => [`${kind} ${id}`, { kind, id }]));
  return JSON.stringify([...byKey.keys()].toSorted().map((key) => byKey.get(key)));
}

/** Call it in the transaction that changes windows, after `lockTeam`. @returns whether the copy has changed */
export async function copyPausingWindows(trx: Trx, teamId: string, now: number): Promise<boolean> {
  const windows = await readWindows(trx, [teamId]);
  const pausing = windows.filter((each) => each.pausesRuns && (each.isWeekly || each.endsAt > now));
  const copy = pausing.map(({ startsAt, endsAt, isWeekly, covers }): MaintenanceWindow => {
    return { startsAt, endsAt, isWeekly, covers };
  });
  const text = copy.length === 0 ? null : JSON.stringify(copy);
  const team = await one(trx, 'teams', { id: teamId }, ['pausing_windows']);
  if (!team || team.pausing_windows === text) return false;
  await change(trx, 'teams', { id: teamId }, { pausing_windows: text });
  return true;
}

/** A damaged text pauses nothing. */
export function readPausingWindows(text: string | null): MaintenanceWindow[] {
  return listOr(text, []);
}
