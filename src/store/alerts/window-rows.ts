import type { AlertSource, MaintenanceWindow } from '#domain/maintenance';
import type { Row } from '../tables/tables.ts';
import type { Reader } from '../database/database.ts';
import { all } from '../database/rows.ts';

/** The settings of a maintenance window (§6.6). */
export interface WindowSettings extends MaintenanceWindow {
  name: string;
}

export interface StoredWindow extends WindowSettings {
  teamId: string;
  id: string;
  createdAt: number;
}

/** Reads the windows of several teams, in the order in which they were made, by two statements. */
export async function readWindows(db: Reader, teamIds: readonly string[]): Promise<StoredWindow[]> {
  const rows = await all(db, 'maintenance_windows', { team_id: teamIds }, { order: ['id'] });
  if (rows.every(({ covers_team }) => covers_team === 1)) {
    return rows.map((row) => windowOf(row, []));
  }
  const sources = await all(
    db,
    'maintenance_window_sources',
    { team_id: teamIds },
    { columns: ['window_id', 'source', 'source_id'] },
  );
  const byWindow = Map.groupBy(sources, ({ window_id }) => window_id);
  return rows.map((row) => {
    const chosen = byWindow.get(row.id) ?? [];
    return windowOf(
      row,
      chosen.map(({ source, source_id }) => ({ kind: source, id: source_id })),
    );
  });
}

function windowOf(row: Row<'maintenance_windows'>, chosen: readonly AlertSource[]): StoredWindow {
  return {
    teamId: row.team_id,
    id: row.id,
    name: row.name,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    isWeekly: row.is_weekly === 1,
    covers: row.covers_team === 1 ? 'team' : chosen,
    createdAt: row.created_at,
  };
}
