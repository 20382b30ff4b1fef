import { newId } from '#domain/ids';
import type { AlertSource, MaintenanceWindow } from '#domain/maintenance';
import type { MaintenanceWindowsTable } from './alerts-schema.ts';
import type { Database, Reader, Trx } from './database.ts';

/** What a team sets of a maintenance window (D37). */
export interface WindowSettings extends MaintenanceWindow {
  name: string;
}

export interface StoredWindow extends WindowSettings {
  teamId: string;
  id: string;
  createdAt: number;
}

export interface NamedSource extends AlertSource {
  name: string;
}

/**
 * Every alert is held against all windows of its team, so there is a most. Windows that are over are kept
 * until a new one needs their place.
 */
export const MOST_WINDOWS = 200;

/** Maintenance windows of teams. What they cover may have been deleted since; it is then nothing. */
export class WindowStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Null: the team has as many as it may have, and none of them is over. */
  async create(
    teamId: string,
    settings: WindowSettings,
    now: number,
  ): Promise<StoredWindow | null> {
    return this.#db.transact(async (trx) => {
      const { n } = await trx
        .selectFrom('maintenance_windows')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('team_id', '=', teamId)
        .executeTakeFirstOrThrow();
      if (n >= MOST_WINDOWS && !(await deleteLongestOver(trx, teamId, now))) return null;
      const id = newId(now);
      await trx
        .insertInto('maintenance_windows')
        .values({ team_id: teamId, id, created_at: now, ...columnsOf(settings) })
        .execute();
      await insertSources(trx, teamId, id, settings.covers);
      return { ...settings, teamId, id, createdAt: now };
    });
  }

  /** Null: no such window. */
  async update(
    teamId: string,
    windowId: string,
    settings: WindowSettings,
  ): Promise<StoredWindow | null> {
    return this.#db.transact(async (trx) => {
      const row = await trx
        .updateTable('maintenance_windows')
        .set(columnsOf(settings))
        .where('team_id', '=', teamId)
        .where('id', '=', windowId)
        .returning('created_at')
        .executeTakeFirst();
      if (!row) return null;
      await deleteSources(trx, teamId, windowId);
      await insertSources(trx, teamId, windowId, settings.covers);
      return { ...settings, teamId, id: windowId, createdAt: row.created_at };
    });
  }

  /** Ends a window now: one that is under way is over, a weekly one comes no more. False: no such window. */
  async delete(teamId: string, windowId: string): Promise<boolean> {
    return this.#db.transact((trx) => deleteWindow(trx, teamId, windowId));
  }

  async find(teamId: string, windowId: string): Promise<StoredWindow | null> {
    const all = await this.list(teamId);
    return all.find(({ id }) => id === windowId) ?? null;
  }

  /** What a window may name: the team's crons and queues, each by name. */
  async listSources(teamId: string): Promise<NamedSource[]> {
    const read = async (kind: NamedSource['kind'], table: 'crons' | 'queues') => {
      const rows = await this.#db.read((db) =>
        db
          .selectFrom(table)
          .select(['id', 'name'])
          .where('team_id', '=', teamId)
          .orderBy('name')
          .orderBy('id')
          .execute(),
      );
      return rows.map(({ id, name }): NamedSource => ({ kind, id, name }));
    };
    return (await Promise.all([read('cron', 'crons'), read('queue', 'queues')])).flat();
  }

  /** By their start, the latest first. */
  async list(teamId: string): Promise<StoredWindow[]> {
    const windows = await this.#db.read((db) => readWindows(db, [teamId]));
    return windows.toSorted((a, b) => b.startsAt - a.startsAt || (a.id < b.id ? 1 : -1));
  }
}

/** The windows of several teams, in the order in which they were made; two statements. */
export async function readWindows(
  db: Pick<Reader, 'selectFrom'>,
  teamIds: readonly string[],
): Promise<StoredWindow[]> {
  const rows = await db
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('team_id', 'in', teamIds)
    .orderBy('id')
    .execute();
  if (rows.every(({ covers_team }) => covers_team === 1)) {
    return rows.map((row) => windowOf(row, []));
  }
  const sources = await db
    .selectFrom('maintenance_window_sources')
    .select(['window_id', 'source', 'source_id'])
    .where('team_id', 'in', teamIds)
    .execute();
  const byWindow = Map.groupBy(sources, ({ window_id }) => window_id);
  return rows.map((row) => {
    const chosen = byWindow.get(row.id) ?? [];
    return windowOf(
      row,
      chosen.map(({ source, source_id }) => ({ kind: source, id: source_id })),
    );
  });
}

function windowOf(row: MaintenanceWindowsTable, chosen: readonly AlertSource[]): StoredWindow {
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

function columnsOf({ name, startsAt, endsAt, isWeekly, covers }: WindowSettings) {
  return {
    name,
    starts_at: startsAt,
    ends_at: endsAt,
    is_weekly: isWeekly ? (1 as const) : (0 as const),
    covers_team: covers === 'team' ? (1 as const) : (0 as const),
  };
}

async function insertSources(
  trx: Trx,
  teamId: string,
  windowId: string,
  covers: WindowSettings['covers'],
): Promise<void> {
  if (covers === 'team' || covers.length === 0) return;
  const rows = covers.map(({ kind, id }) => ({
    team_id: teamId,
    window_id: windowId,
    source: kind,
    source_id: id,
  }));
  await trx
    .insertInto('maintenance_window_sources')
    .values(rows)
    .onConflict((oc) => oc.doNothing())
    .execute();
}

/** False where none of the team's windows is over. */
async function deleteLongestOver(trx: Trx, teamId: string, now: number): Promise<boolean> {
  const row = await trx
    .selectFrom('maintenance_windows')
    .select('id')
    .where('team_id', '=', teamId)
    .where('is_weekly', '=', 0)
    .where('ends_at', '<=', now)
    .orderBy('ends_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && deleteWindow(trx, teamId, row.id);
}

async function deleteWindow(trx: Trx, teamId: string, windowId: string): Promise<boolean> {
  await deleteSources(trx, teamId, windowId);
  const { numDeletedRows } = await trx
    .deleteFrom('maintenance_windows')
    .where('team_id', '=', teamId)
    .where('id', '=', windowId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

async function deleteSources(trx: Trx, teamId: string, windowId: string): Promise<void> {
  await trx
    .deleteFrom('maintenance_window_sources')
    .where('team_id', '=', teamId)
    .where('window_id', '=', windowId)
    .execute();
}
